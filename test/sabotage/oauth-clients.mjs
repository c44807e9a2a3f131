/** Controls that clients nobody here wrote run into: scopes, client authentication, parallel refresh, revocation. */
const TOKENS = 'test/e2e/tokens';

export default [
  {
    item: '49',
    control: 'a sign-in is granted scopes that a person can have, and no others',
    file: 'src/tokens/scopes.rules.ts',
    out: '.filter((scope) => PERSON_SCOPES.some((known) => known === scope))',
    into: '.filter((scope) => scope !== String(PERSON_SCOPES.length))',
    tests: [`${TOKENS}/granted-scopes.spec.ts`],
  },
  {
    item: '49',
    control: 'a refresh takes no scope that the sign-in was not granted',
    file: 'src/tokens/grants/token-grants.service.ts',
    out: 'narrowedScope(grant.scope, request.scope || null)',
    into: 'narrowedScope(null, null) ?? request.scope ?? grant.scope',
    tests: [`${TOKENS}/granted-scopes.spec.ts`],
  },
];
