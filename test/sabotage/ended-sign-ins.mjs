// What a sign-in that has ended must not open any more.
const SESSIONS = 'test/e2e/account/sessions.spec.ts';
const TASKS = 'test/e2e/console/tasks.spec.ts';

export default [
  {
    item: 'ended sign-ins',
    control: 'an access token whose sign-in has ended is refused',
    file: 'src/auth/access/access-token-users.ts',
    out: "if (admission !== 'admitted' || !family) return null;",
    into: "if (admission !== 'admitted') return null;",
    tests: [SESSIONS],
  },
  {
    item: 'ended sign-ins',
    control: 'userinfo refuses an access token whose sign-in has ended',
    file: 'src/tokens/endpoints/userinfo.service.ts',
    out: 'if (!user || !family) throw new InvalidToken();',
    into: 'if (!user) throw new InvalidToken();',
    tests: [SESSIONS],
  },
  {
    item: 'ended sign-ins',
    control: 'a console session begins only on the browser’s own sign-in, of the same user',
    file: 'src/console/login/console-login.service.ts',
    out: 'session?.userId === person.proof.userId &&',
    into: 'session !== null &&',
    tests: ['test/e2e/console/callback.spec.ts'],
  },
  {
    item: 'ended sign-ins',
    control: 'a task stops when its starter’s account is not what it was',
    file: 'src/operators/tasks/task-operator.ts',
    out: 'return credentialsVersion === null || credentialsVersion === now.credentialsVersion;',
    into: 'return credentialsVersion === null || credentialsVersion <= now.credentialsVersion;',
    tests: [TASKS],
  },
  {
    item: 'ended sign-ins',
    control: 'signing one browser out from elsewhere voids what was proven there',
    file: 'src/auth/session/remote-sign-out.ts',
    out: 'await this.users.voidProofs(tx, userId);\n    const ended = await this.sessions.endOne',
    into: 'const ended = await this.sessions.endOne',
    tests: [TASKS],
  },
  {
    item: 'ended sign-ins',
    control: 'a sign-in that goes on from another one hangs on the same browser session',
    file: 'src/auth/sign-in/sign-in-ending.service.ts',
    out: "if (session.kind !== 'new') return { sid: session.sid, token: null };",
    into: "if (session.kind !== 'new') return { sid: session.kind === 'kept' ? null : session.sid, token: null };",
    tests: [SESSIONS],
  },
  {
    item: 'ended sign-ins',
    control: 'a sign-in that goes on from a token begins only while that token’s sign-in is alive',
    file: 'src/auth/sign-in/sign-in-ending.service.ts',
    out: 'session.familyId ? await this.families.hold(tx, session.familyId) : isHeld',
    into: 'session.familyId ? true : isHeld',
    tests: [SESSIONS],
  },
  {
    item: 'ended sign-ins',
    control: 'what came from a browser session ends when another user signs in there',
    file: 'src/auth/session/sso-sessions.service.ts',
    out: 'if (before && !isSamePerson) await this.grants.revokeSession(tx, before.userId, before);',
    into: '',
    tests: [SESSIONS],
  },
  {
    item: 'ended sign-ins',
    control: 'an import asks again who it is before it ends',
    file: 'src/operators/tasks/tenant-import.runner.ts',
    out: 'if (!(await this.operator.identify(task))) throw new InsufficientPermissions();',
    into: '',
    tests: ['test/e2e/console/tenant-import.spec.ts'],
  },
];
