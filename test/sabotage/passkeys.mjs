/** Controls of passkeys: challenges good once, for one browser; the right party, owner and count; never one factor for two. */
const SIGN_IN = 'test/e2e/passkeys/sign-in.spec.ts';
const ACCOUNT = 'test/e2e/passkeys/account.spec.ts';
const FACTOR = 'test/e2e/passkeys/second-factor.spec.ts';
const FOLDER = 'src/auth/credentials/passkeys';

export default [
  {
    item: 'passkeys',
    control: 'a challenge is deleted by its first answer',
    file: `${FOLDER}/passkey-challenges.repository.ts`,
    out: 'text: `DELETE FROM passkey_challenges WHERE challenge = $1 AND bound_to = $2 AND expires_at > clock_timestamp()\n    RETURNING 1`',
    into: 'text: `SELECT 1 FROM passkey_challenges WHERE challenge = $1 AND bound_to = $2 AND expires_at > clock_timestamp()`',
    tests: [SIGN_IN, ACCOUNT],
  },
  {
    item: 'passkeys',
    control: 'a challenge belongs to one attempt or session',
    file: `${FOLDER}/passkey-challenges.repository.ts`,
    out: 'challenge = $1 AND bound_to = $2 AND',
    into: "challenge = $1 AND bound_to || $2 <> '' AND",
    tests: [SIGN_IN],
  },
  {
    item: 'passkeys',
    control: 'a challenge expires after five minutes',
    file: `${FOLDER}/passkey-challenges.repository.ts`,
    out: ' AND expires_at > clock_timestamp()\n',
    into: '\n',
    tests: [ACCOUNT],
  },
  {
    item: 'passkeys',
    control: 'the browser was on our origin',
    file: `${FOLDER}/passkey-assertion.service.ts`,
    out: 'expectedOrigin: this.party.origin',
    into: "expectedOrigin: [this.party.origin, 'http://localhost:1']",
    tests: [SIGN_IN],
  },
  {
    item: 'passkeys',
    control: 'a wrong signature proves nothing',
    file: `${FOLDER}/passkey-assertion.service.ts`,
    out: 'if (!verified || !authenticationInfo)',
    into: 'if (!authenticationInfo)',
    tests: [SIGN_IN],
  },
  {
    item: 'passkeys',
    control: 'the handle is the owner’s',
    file: `${FOLDER}/passkey-assertion.service.ts`,
    out: '?.equals(userHandle) ?? false',
    into: '?.equals(userHandle) !== null',
    tests: [SIGN_IN],
  },
  {
    item: 'passkeys',
    control: 'a device whose counter goes back is refused',
    file: `${FOLDER}/passkeys.repository.ts`,
    out: 'AND (is_synced OR sign_count < $3 OR (sign_count = 0 AND $3 = 0))',
    into: 'AND (is_synced OR sign_count + $3 >= 0)',
    tests: [SIGN_IN],
  },
  {
    item: 'passkeys',
    control: 'presence alone is one factor',
    file: `${FOLDER}/passkey.rules.ts`,
    out: "...(isUserVerified ? ['mfa'] : [])",
    into: "...(isUserVerified ? ['mfa'] : ['mfa'])",
    tests: [SIGN_IN],
  },
  {
    item: 'passkeys',
    control: 'one key shown twice is one factor',
    file: `${FOLDER}/passkey.rules.ts`,
    out: "return amr.includes('hwk') || amr.includes('swk');",
    into: "return amr.includes('hwk') && amr.includes('swk');",
    tests: [FACTOR],
  },
  {
    item: 'passkeys',
    control: 'a second factor is a passkey of the user who has shown the first',
    file: `${FOLDER}/passkey-assertion.service.ts`,
    out: 'if (ownerId !== null && userId !== ownerId) return false;',
    into: '',
    tests: [FACTOR],
  },
  {
    item: 'passkeys',
    control: 'a password alone does not open the account of a user of whom two factors are demanded',
    file: 'src/auth/access/current-user.service.ts',
    out: "return isGuarded ? 'second_factor_due' : identified;",
    into: "return isGuarded && !user ? 'second_factor_due' : identified;",
    tests: [FACTOR],
  },
  {
    item: 'passkeys',
    control: 'a passkey is added only soon after a sign-in',
    file: 'src/auth/account/account-passkeys.controller.ts',
    out: "const visit = await this.visits.submitFresh(ctx, request, response, 'passkeys/new');\n    if (!visit) return;\n    try {",
    into: 'const visit = await this.visits.submit(ctx, request, response);\n    if (!visit) return;\n    try {',
    tests: [ACCOUNT],
  },
];
