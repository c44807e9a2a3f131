import { describe, expect, it } from '@jest/globals';
import { outcomeAsPreviewed, judgeAccount } from '../../../src/transfer/import/document/account.rules.js';
import { bundleIdFromName, importedBundleId } from '../../../src/transfer/import/document/bundle-id.rules.js';

describe('Email address in an import', () => {
  const PLATFORM = { isPlatform: true };
  const TENANT = { isPlatform: false };

  it.each([
    [null, PLATFORM, 'create'],
    [null, TENANT, 'create'],
    [{ emailVerified: true, isVisible: true }, TENANT, 'enroll'],
    [{ emailVerified: true, isVisible: false }, PLATFORM, 'enroll'],
    [{ emailVerified: true, isVisible: false }, TENANT, 'left_out_foreign'],
    [{ emailVerified: false, isVisible: true }, PLATFORM, 'left_out_unverified'],
    [{ emailVerified: false, isVisible: true }, TENANT, 'left_out_unverified'],
    // Whether a stranger's address is proven is nobody's business.
    [{ emailVerified: false, isVisible: false }, TENANT, 'left_out_foreign'],
  ] as const)('of account %j, imported by %j: %s', (existing, importer, outcome) => {
    expect(judgeAccount(existing, importer)).toBe(outcome);
  });

  it('in another tenant looks like a new one in the plan', () => {
    expect(outcomeAsPreviewed('left_out_foreign')).toBe('create');
    for (const outcome of ['create', 'enroll', 'left_out_unverified'] as const)
      expect(outcomeAsPreviewed(outcome)).toBe(outcome);
  });
});

describe('New bundle id', () => {
  it('ends in four random characters, within 255', () => {
    expect(importedBundleId('com.x', Uint8Array.of(0, 1, 30, 31))).toBe('com.x.imported-ab9a');
    const long = importedBundleId('x'.repeat(255), Uint8Array.of(0, 0, 0, 0));
    expect([long.length, long.endsWith('x.imported-aaaa')]).toEqual([255, true]);
  });

  it('is derived from the name if there is none', () => {
    expect([bundleIdFromName('Läden & mehr'), bundleIdFromName('商店')]).toEqual(['app.laden-mehr', 'app.tenant']);
  });
});
