// Controls of the sign-in with providers that races and hostile answers need; see scripts/sabotage.mjs.
const SRC = 'src/auth/providers';
const TESTS = 'test/e2e/providers';

export default [
  {
    item: 28,
    control: 'provider attack: a link that is dropped while it is used opens nothing',
    file: `${SRC}/identities/identity-entry.service.ts`,
    out: 'else if (!(await this.accounts.opens(identity, user, tx))) throw new ProofOutdated();',
    into: 'else if (!user.id) throw new ProofOutdated();',
    tests: [`${TESTS}/linking.spec.ts`],
  },
  {
    item: 38,
    control: 'provider attack: the app is read again after the provider has answered',
    file: `${SRC}/callback/provider-completion.ts`,
    out: 'const state = await this.attempts.readState(attempt.state.attempt);',
    into: 'const state = this.attempts && attempt.state;',
    tests: [`${TESTS}/start.spec.ts`],
  },
  {
    item: 38,
    control: 'provider attack: a method that was switched off while the provider was asked ends the sign-in',
    file: `${SRC}/callback/provider-completion.ts`,
    out: 'if (!allowsMethod(client.app, attempt.provider))',
    into: "if (attempt.provider === 'apple' && !allowsMethod(client.app, attempt.provider))",
    tests: [`${TESTS}/start.spec.ts`],
  },
  {
    item: 34,
    control: 'provider attack: a subject that the database cannot keep apart is none',
    file: `${SRC}/protocol/id-token.rules.ts`,
    out: String.raw`/^[^\p{Cc}\p{Cs}]{1,255}$/u`,
    into: '/^[^]{1,255}$/u',
    tests: [`${TESTS}/id-token.spec.ts`],
  },
  {
    item: 39,
    control: 'provider attack: the name that a provider tells is cleaned before it is kept',
    file: `${SRC}/identities/provider-sign-in.service.ts`,
    out: '{ ...answered, displayName: cleanDisplayName(answered.displayName) }',
    into: '{ ...answered, displayName: answered.displayName && (cleanDisplayName(null) ?? answered.displayName) }',
    tests: [`${TESTS}/invites.spec.ts`],
  },
  {
    item: 35,
    control: 'provider attack: the issuer in the form of Apple is compared',
    file: `${SRC}/oauth.controller.ts`,
    out: "parameters.set('iss', typeof iss === 'string' && iss.length <= 512 ? iss : '');",
    into: 'void iss;',
    tests: [`${TESTS}/sign-in.spec.ts`],
  },
  {
    item: 'limits: rows',
    control: 'provider attack: the form that links an account counts as a way out to a provider',
    file: `${SRC}/oauth.controller.ts`,
    out: "@NetworkLimit('oauth_start_ip')\n  @HttpCode(303)",
    into: '@HttpCode(303)',
    tests: ['test/e2e/sign-in/network-limits.spec.ts'],
  },
  {
    item: 'requests',
    control: 'provider attack: what no database can keep is refused before the guard of the providers keeps it',
    file: `${SRC}/provider-auth.guard.ts`,
    out: "INPUT.transform(query, { type: 'query' });",
    into: 'void query;',
    tests: [`${TESTS}/start.spec.ts`],
  },
];
