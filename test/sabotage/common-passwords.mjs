// Controls around common and breached passwords; see scripts/sabotage.mjs.
const RULES = [
  'test/unit/users/passwords/weak-password.rules.spec.ts',
  'test/unit/users/passwords/password-spellings.rules.spec.ts',
];
const BREACHES = ['test/e2e/passwords/breaches.spec.ts'];

export default [
  {
    item: '3',
    control: 'common passwords: found with signs for letters',
    file: 'src/users/passwords/password-spellings.rules.ts',
    out: '.replace(/[@431!|l05$7]/g, (character) => LETTER_FOR[character]!)',
    into: '.replace(/[|]/g, (character) => LETTER_FOR[character]!)',
    tests: RULES,
  },
  {
    item: '3',
    control: 'common passwords: found with a tail of digits and signs',
    file: 'src/users/passwords/password-spellings.rules.ts',
    out: 'Math.min(tail, MAX_TAIL_LENGTH,',
    into: 'Math.min(tail, 0 * MAX_TAIL_LENGTH,',
    tests: RULES,
  },
  {
    item: '3',
    control: 'common passwords: little else than words of the name is guessable',
    file: 'src/users/passwords/weak-password.rules.ts',
    out: 'return isNamed || isMostly(folded, words.parts)',
    into: 'void isMostly;\n  return isNamed',
    tests: RULES,
  },
  {
    item: '3',
    control: 'common passwords: the search finds every entry',
    file: 'src/users/passwords/sorted-lines.ts',
    out: 'while (low <= high)',
    into: 'while (low < high)',
    tests: ['test/unit/users/passwords/common-passwords.spec.ts'],
  },
  {
    item: '3',
    control: 'breached passwords: refused at every place where one is set',
    file: 'src/auth/credentials/password/password-policy.service.ts',
    out: "return (await this.breached.include(password)) ? 'breached' : null;",
    into: "return (await this.breached.include(password)) && password === '' ? 'breached' : null;",
    tests: BREACHES,
  },
  {
    item: '3',
    control: 'breached passwords: five digits leave, not the digest',
    file: 'src/auth/credentials/password/breached-passwords.ts',
    out: 'this.ask(passwordRangeUrl, digest.slice(0, PREFIX_LENGTH))',
    into: 'this.ask(passwordRangeUrl, digest)',
    tests: BREACHES,
  },
  {
    item: '3',
    control: 'breached passwords: a range that fails locks no user out',
    file: 'src/auth/credentials/password/breached-passwords.ts',
    out: "this.answers.inc({ outcome: 'failed' });",
    into: 'throw error;',
    tests: BREACHES,
  },
  {
    item: '3',
    control: 'breached passwords: no user waits longer than a second',
    file: 'src/auth/credentials/password/breached-passwords.ts',
    out: 'const TIMEOUT_MS = 1_000;',
    into: 'const TIMEOUT_MS = 6_000;',
    tests: BREACHES,
  },
  {
    item: '3',
    control: 'breached passwords: padding is no breach',
    file: 'src/auth/credentials/password/breach-range.rules.ts',
    out: 'if (Number(match[2]) > 0)',
    into: 'if (Number(match[2]) > -1)',
    tests: ['test/unit/auth/credentials/password/breach-range.rules.spec.ts'],
  },
  {
    item: '97',
    control: 'way out: no more is read than was asked for',
    file: 'src/outbound/outbound-http.ts',
    out: 'if (read > maxBytes) throw new AnswerTooLarge(maxBytes);',
    into: 'void AnswerTooLarge;',
    tests: ['test/unit/outbound/outbound-http.spec.ts'],
  },
];
