/** Controls of the rule that a session counts at an app only if it was made with a method of that app. */
const TABLE = ['test/e2e/sign-in/sso-methods.spec.ts'];

export default [
  {
    item: '30',
    control: 'a session counts only with a method of the app',
    file: 'src/auth/entry/entry-facts.ts',
    out: 'const methodAllowed = acceptsMethods(client, shown) &&',
    into: 'const methodAllowed = (shown.length >= 0 || acceptsMethods(client, shown)) &&',
    tests: TABLE,
  },
  {
    item: '30',
    control: 'who came without a method counts as such at that very app only',
    file: 'src/auth/entry/methods/sign-in-methods.rules.ts',
    out: 'amr.includes(joinedAt(app))',
    into: "amr.some((value) => value.startsWith(joinedAt({ id: '' })))",
    tests: TABLE,
  },
  {
    item: '30',
    control: 'where a user joined stays in the house: tokens',
    file: 'src/tokens/grants/issuance/token-issuer.ts',
    out: 'const amr = publishedAmr(grant.amr);',
    into: 'const amr = publishedAmr([]).concat(grant.amr);',
    tests: TABLE,
  },
  {
    item: '30',
    control: 'an invite is not accepted with a session that the app does not take',
    file: 'src/auth/joining/invite-acceptance.service.ts',
    out: ' && acceptsMethods(client, me.amr)',
    into: ' && acceptsMethods.length > 0',
    tests: TABLE,
  },
  {
    item: '30',
    control: 'access is not asked for with a session that the app does not take',
    file: 'src/auth/joining/access-requests-by-session.ts',
    out: '!acceptsMethods(client, holder.session!.amr)',
    into: 'acceptsMethods.length === 0',
    tests: TABLE,
  },
  {
    item: '30',
    control: 'the console sends who came by a method that it does not take to sign in again',
    file: 'src/operators/console-entrance.ts',
    out: "'method_not_allowed', 'second_factor_due'",
    into: "'second_factor_due'",
    tests: TABLE,
  },
  {
    item: 'account page',
    control: 'a mailed link opens the account page, whatever the platform Console takes',
    file: 'src/auth/magic-link/magic-link-flow.ts',
    out: 'allowsMethod(signInClient(target, client).app,',
    into: 'allowsMethod((signInClient(target, client), client).app,',
    tests: ['test/e2e/account/sign-in.spec.ts'],
  },
];
