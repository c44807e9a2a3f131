// Controls of the service's administration: start checks, development mode, step-up and second factor of administrators,
// passwords that everybody knows, mail and metrics; see scripts/sabotage.mjs.
const ENV = 'test/unit/config/env.spec.ts';

export default [
  {
    item: 'F18',
    control: 'administration: production needs a public address',
    file: 'src/config/env.ts',
    out: "if (!embedded && env['BASE_URL'] === undefined)",
    into: 'if (false)',
    tests: [ENV],
  },
  {
    item: 'F18',
    control: 'administration: a public address has TLS',
    file: 'src/config/env.ts',
    out: "if (!embedded && isPublic && address !== null && new URL(address).protocol === 'http:')",
    into: 'if (false)',
    tests: [ENV],
  },
  {
    item: 'F18',
    control: 'administration: a public service has rate limits',
    file: 'src/config/env.ts',
    out: 'read.rateLimits(!isPublic)',
    into: 'read.rateLimits(true)',
    tests: [ENV],
  },
  {
    item: 'F18',
    control: 'administration: a public service has costly password hashes',
    file: 'src/config/env.ts',
    out: 'isPublic ? 10 : 4',
    into: '4',
    tests: [ENV],
  },
];
