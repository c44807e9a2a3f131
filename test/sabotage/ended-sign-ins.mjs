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
    out: 'await this.users.voidProofs(tx, userId);\n    const ended',
    into: 'const ended',
    tests: [TASKS],
  },
];
