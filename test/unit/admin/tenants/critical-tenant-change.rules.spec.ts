import { describe, expect, it } from '@jest/globals';
import { criticalReasons } from '../../../../src/admin/tenants/critical-tenant-change.rules.js';

const ONE = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';
const TWO = 'adce0002-35bc-c60a-648b-0b25f1f05503';

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
    expect(criticalReasons({ passkeyAaguids: before }, { passkeyAaguids: after })).toEqual(
      expected ? ['passkey_models'] : [],
    ),
  );
});
