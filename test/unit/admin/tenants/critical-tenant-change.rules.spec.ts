import { describe, expect, it } from '@jest/globals';
import { criticalReasons } from '../../../../src/admin/tenants/critical-tenant-change.rules.js';

const ONE = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';
const TWO = 'adce0002-35bc-c60a-648b-0b25f1f05503';

const PLAIN = { passkeyAaguids: null, require2fa: false, passkeyRecoveryDays: null };

describe('A change of the passkey models of a tenant', () => {
  it.each<[string[] | null, string[] | null, boolean]>([
    [null, null, false],
    [null, [], false],
    [[ONE], [ONE.toUpperCase()], false],
    [[ONE, TWO], [TWO, ONE], false],
    [null, [ONE], true],
    [[ONE], null, true],
    [[ONE, TWO], [ONE], true],
  ])('from %j to %j: critical is %s', (before, after, expected) =>
    expect(criticalReasons({ ...PLAIN, passkeyAaguids: before }, { ...PLAIN, passkeyAaguids: after })).toEqual(
      expected ? ['passkey_models'] : [],
    ),
  );
});

describe('A change of a tenant’s rules for the second factor', () => {
  it.each([
    [{ require2fa: true }, { require2fa: false }, ['second_factor']],
    [{ require2fa: false }, { require2fa: true }, []],
    [{ passkeyRecoveryDays: null }, { passkeyRecoveryDays: 30 }, ['passkey_recovery']],
    [{ passkeyRecoveryDays: 7 }, { passkeyRecoveryDays: 6 }, ['passkey_recovery']],
    [{ passkeyRecoveryDays: 7 }, { passkeyRecoveryDays: 7 }, []],
    [{ passkeyRecoveryDays: 7 }, { passkeyRecoveryDays: null }, []],
  ])('from %j to %j needs a recent sign-in for %j', (before, after, expected) =>
    expect(criticalReasons({ ...PLAIN, ...before }, { ...PLAIN, ...after })).toEqual(expected),
  );
});
