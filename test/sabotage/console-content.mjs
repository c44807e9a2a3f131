// Controls of the console's pages of people, help and queues, and of what they add to the API; see scripts/sabotage.mjs.
const CONSOLE = 'test/e2e/console';

export default [
  {
    item: 75,
    control: 'console-content: a reset second factor ends everything that was open',
    file: 'src/admin/people/second-factor-reset.service.ts',
    out: "await this.signIns.revokeAllSessionsAndTokens(tx, ctx, userId, 'second_factor_reset');",
    into: '',
    tests: ['test/e2e/admin/second-factor-reset.spec.ts'],
  },
  {
    item: 75,
    control: 'console-content: nobody resets their own second factor without a code',
    file: 'src/admin/people/second-factor-reset.service.ts',
    out: "if (actor.type === 'user' && actor.userId === userId) throw new OwnSecondFactorElsewhere();",
    into: '',
    tests: ['test/e2e/admin/second-factor-reset.spec.ts'],
  },
  {
    item: 76,
    control: 'console-content: sign-ins of the caller’s apps only',
    file: 'src/admin/people/seen-sessions.service.ts',
    out: 'client && canAdministerApp(ctx.actor, client.app)',
    into: 'client',
    tests: [`${CONSOLE}/users.spec.ts`],
  },
  {
    item: 76,
    control: 'console-content: numbers of the caller’s apps only',
    file: 'src/operations/statistics/statistics.service.ts',
    out: '!client || !canAdministerApp(actor, client.app)',
    into: '!client',
    tests: ['test/e2e/operations/statistics.spec.ts'],
  },
  {
    item: 86,
    control: 'console-content: an account is deleted only when its address was typed',
    file: 'src/console/users/person-deletion.controller.ts',
    out: 'if (!isTyped(fields, impact.user.email))',
    into: 'if (false)',
    tests: [`${CONSOLE}/person-account.spec.ts`],
  },
  {
    item: 86,
    control: 'console-content: values are escaped in the snippets of the help',
    file: 'src/console/help/help-values.ts',
    out: 'escaped(values[name] ?? `<${name}>`)',
    into: 'values[name] ?? `<${name}>`',
    tests: ['test/unit/console/help-articles.spec.ts'],
  },
  {
    item: 76,
    control: 'console-content: requests for access of the caller’s apps only',
    file: 'src/enrollment/request-queue.query.ts',
    out: "if (everything) return 'true';",
    into: "if (everything || tenantIds) return 'true';",
    tests: [`${CONSOLE}/requests.spec.ts`],
  },
  {
    item: 'notices',
    control: 'console-content: text of a stranger makes no link in the e-mail about a request',
    file: 'src/enrollment/request-mails.service.ts',
    out: 'return withoutLinks(letters',
    into: 'return String(letters',
    tests: ['test/e2e/operations/request-notices.spec.ts'],
  },
];
