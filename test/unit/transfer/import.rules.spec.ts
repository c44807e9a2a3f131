import { describe, expect, it } from '@jest/globals';
import { fateAsForeseen, judgeAccount } from '../../../src/transfer/import/account.rules.js';
import { bundleIdFromName, importedBundleId } from '../../../src/transfer/import/bundle-id.rules.js';
import { judgeLogo } from '../../../src/transfer/import/png.rules.js';

describe('An address of an import', () => {
  const PLATFORM = { isPlatform: true };
  const TENANT = { isPlatform: false };

  it.each([
    [null, PLATFORM, 'create'],
    [null, TENANT, 'create'],
    [{ emailVerified: true, isVisible: true }, TENANT, 'enrol'],
    [{ emailVerified: true, isVisible: false }, PLATFORM, 'enrol'],
    [{ emailVerified: true, isVisible: false }, TENANT, 'left_out_foreign'],
    [{ emailVerified: false, isVisible: true }, PLATFORM, 'left_out_unverified'],
    [{ emailVerified: false, isVisible: true }, TENANT, 'left_out_unverified'],
    // Whether a stranger's address is proven is nobody's business.
    [{ emailVerified: false, isVisible: false }, TENANT, 'left_out_foreign'],
  ] as const)('of %j, brought by %j: %s', (existing, importer, fate) => {
    expect(judgeAccount(existing, importer)).toBe(fate);
  });

  it('that belongs elsewhere looks like a new one beforehand', () => {
    expect(fateAsForeseen('left_out_foreign')).toBe('create');
    for (const fate of ['create', 'enrol', 'left_out_unverified'] as const) expect(fateAsForeseen(fate)).toBe(fate);
  });
});

describe('A new bundle id', () => {
  it('ends in four characters of its own, within 255', () => {
    expect(importedBundleId('com.x', Uint8Array.of(0, 1, 30, 31))).toBe('com.x.imported-ab9a');
    const long = importedBundleId('x'.repeat(255), Uint8Array.of(0, 0, 0, 0));
    expect([long.length, long.endsWith('x.imported-aaaa')]).toEqual([255, true]);
  });

  it('comes from the name where there is none', () => {
    expect([bundleIdFromName('Läden & mehr'), bundleIdFromName('商店')]).toEqual(['app.laden-mehr', 'app.tenant']);
  });
});

describe('A logo of an import', () => {
  const png = (width: number, height: number, type = 'IHDR') => {
    const bytes = Buffer.alloc(40);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    bytes.writeUInt32BE(13, 8);
    bytes.write(type, 12, 'latin1');
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return `data:image/png;base64,${bytes.toString('base64')}`;
  };

  it('is a PNG of at most 256 pixels a side', () => {
    expect([judgeLogo(png(256, 256)), judgeLogo(png(1, 1))]).toEqual(['ok', 'ok']);
    for (const other of [
      png(257, 1),
      png(1, 257),
      png(0, 1),
      png(4_294_967_295, 1),
      png(1, 1, 'XXXX'),
      png(1, 1).replace('image/png', 'image/svg+xml'),
      'data:image/png;base64,AAAA',
      'data:image/png;base64,',
      '',
    ])
      expect([other.slice(0, 40), judgeLogo(other)]).toEqual([other.slice(0, 40), 'not_a_logo']);
  });
});
