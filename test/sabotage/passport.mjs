// Controls of how Passport's strategies are run; see scripts/sabotage.mjs.
const SRC = 'src/auth/providers';

export default [
  {
    item: 33,
    control: 'passport: an application uses its own strategies, not those that another has registered by name',
    file: `${SRC}/provider-auth.guard.ts`,
    out: 'else await this.authenticate(host, strategyRun(strategy, leg));',
    into: 'else await this.authenticate(host, strategyRun((await import("passport")).default._strategy(name), leg));',
    tests: ['test/e2e/providers/strategies.spec.ts'],
  },
  {
    item: 33,
    control: 'passport: the start redeems no code, whatever its address says',
    file: `${SRC}/protocol/strategy-run.ts`,
    out: "const query = leg === 'start' ? {} : { code, state };",
    into: 'const query = { ...request.query, code, state };',
    tests: ['test/e2e/providers/strategies.spec.ts'],
  },
  {
    item: 33,
    control: 'passport: each request runs a strategy object of its own',
    file: `${SRC}/protocol/strategy-run.ts`,
    out: 'return Object.assign(Object.create(strategy) as ProviderStrategy, { authenticate });',
    into:
      'const kept = strategy as ProviderStrategy & { shared?: ProviderStrategy };\n' +
      '  return (kept.shared ??= Object.assign(Object.create(strategy) as ProviderStrategy, { authenticate }));',
    tests: ['test/unit/auth/providers/provider-auth.guard.spec.ts'],
  },
  {
    item: 40,
    control: 'passport: Google is called through the bounded client',
    file: `${SRC}/protocol/google.strategy.ts`,
    out: 'callThrough(http, this._oauth2);',
    into: 'void callThrough;',
    tests: ['test/e2e/providers/outages.spec.ts'],
  },
  {
    item: 35,
    control: 'passport: the issuer beside a code is compared',
    file: `${SRC}/callback/callback.rules.ts`,
    out: "if (iss !== undefined && (typeof iss !== 'string' || !strategy.acceptsIssuer(iss)))",
    into: "if (iss === '' && !strategy.acceptsIssuer(iss))",
    tests: ['test/e2e/providers/state.spec.ts'],
  },
  {
    item: 38,
    control: 'passport: a method that was switched off in the meantime ends the sign-in before the code is redeemed',
    file: `${SRC}/callback/provider-callback.ts`,
    out: 'else if (!allowsMethod(state.client.app, provider))',
    into: "else if (provider === 'apple' && !allowsMethod(state.client.app, provider))",
    tests: [
      'test/e2e/providers/linking.spec.ts',
      'test/e2e/providers/sign-in.spec.ts',
      'test/e2e/providers/start.spec.ts',
    ],
  },
  {
    item: 40,
    control: 'passport: all calls of one callback have ten seconds together',
    file: `${SRC}/provider-auth.guard.ts`,
    out: 'const DEADLINE_MS = 10_000;',
    into: 'const DEADLINE_MS = 100_000;',
    tests: ['test/unit/auth/providers/provider-auth.guard.spec.ts'],
  },
];
