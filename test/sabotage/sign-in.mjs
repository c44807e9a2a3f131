// Controls of the sign-in, on the hosted pages and over JSON; see scripts/sabotage.mjs.
const E2E = 'test/e2e/sign-in';

export default [
  {
    item: 1,
    control: 'no byte of a long password is ignored',
    file: 'src/crypto/password-string.ts',
    out: "Buffer.byteLength(password, 'utf8') <= BCRYPT_BYTES",
    into: 'BCRYPT_BYTES > 0',
    tests: [`${E2E}/passwords.spec.ts`],
  },
  {
    item: 1,
    control: 'NUL is refused',
    file: 'src/common/validation/hostile-json.ts',
    out: "if (text.includes('\\0'))",
    into: "if (text.includes('\\0\\0\\0'))",
    tests: [`${E2E}/passwords.spec.ts`],
  },
  {
    item: 5,
    control: 'an unknown address costs as much as a wrong password',
    file: 'src/users/users.service.ts',
    out: 'const verdict = await this.hasher.verify(password, stored);',
    into: 'const verdict = stored ? await this.hasher.verify(password, stored) : { matches: false, outdated: false };',
    tests: [`${E2E}/login-enumeration.spec.ts`],
  },
  {
    item: 30,
    control: 'look-alike spellings of an address are one address',
    file: 'src/common/validation/email.rules.ts',
    out: "return text.replace(/\\p{Default_Ignorable_Code_Point}/gu, '');",
    into: 'return text;',
    tests: ['test/e2e/admin/users.spec.ts'],
  },
  {
    item: 41,
    control: 'redirect URIs match exactly',
    file: 'src/apps/redirect-uri.rules.ts',
    out: 'if (registered.includes(presented)) return true;',
    into: 'if (registered.some((uri) => presented.startsWith(uri))) return true;',
    tests: [`${E2E}/redirect-uri.spec.ts`],
  },
  {
    item: 47,
    control: 'an attempt belongs to the browser that began it',
    file: 'src/auth/sign-in/sign-in-attempts.repository.ts',
    out: 'attempt.browserHash = :browserHash AND ',
    into: '(attempt.browserHash = :browserHash OR true) AND ',
    tests: [`${E2E}/browser-binding.spec.ts`],
  },
  {
    item: 8,
    control: 'pages of other origins cannot sign in over JSON',
    file: 'src/auth/access/own-origin.guard.ts',
    out: "=== 'foreign') throw new CrossSiteRequest();",
    into: "=== 'foreign') return true;",
    tests: [`${E2E}/login-csrf.spec.ts`],
  },
];
