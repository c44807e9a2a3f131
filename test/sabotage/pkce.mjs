/** Controls of PKCE where an app demands it, and at custom schemes. */
const TESTS = ['test/e2e/sign-in/require-pkce.spec.ts'];

export default [
  {
    item: '44',
    control: 'a request without a challenge is refused where the app demands one',
    file: 'src/auth/hosted-sign-in/authorization-request/authorization-request.rules.ts',
    out: "return isNeeded ? { error: 'invalid_request', description: 'code_challenge is missing' } : null;",
    into: 'return isNeeded ? null : null;',
    tests: TESTS,
  },
  {
    item: '44',
    control: 'no code is made without a challenge where the app demands one',
    file: 'src/auth/hosted-sign-in/completion/sign-in-delivery.service.ts',
    out: 'demandsPkce(config) && request.codeChallenge === null',
    into: 'demandsPkce(config) && request.codeChallenge === undefined',
    tests: TESTS,
  },
  {
    item: '44',
    control: 'no code without a challenge is exchanged where the app demands one',
    file: 'src/tokens/grants/authorization-code/authorization-codes.service.ts',
    out: "if (demandsPkce(app.config) && code.code_challenge === null) return { refusal: 'verifier' };",
    into: '',
    tests: TESTS,
  },
  {
    item: '44',
    control: 'a custom scheme gets a code where a challenge came',
    file: 'src/auth/hosted-sign-in/authorization-request/authorization-request.rules.ts',
    out: '!request.openid && request.codeChallenge === null;',
    into: '!request.openid;',
    tests: TESTS,
  },
];
