import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import { readOrCreateSecretKey } from '../../../src/embedded/secret-key-file.js';

describe('Key file of the embedded mode', () => {
  const random = new SystemRandomness();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created at the first start, readable only for its owner', async () => {
    const key = await readOrCreateSecretKey(folder, false, random);
    expect(key).toHaveLength(32);
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['secret.key']);
  });

  it('contains the same key at every later start', async () => {
    const first = await readOrCreateSecretKey(folder, false, random);
    expect(await readOrCreateSecretKey(folder, true, random)).toEqual(first);
  });

  it('differs between two folders', async () => {
    const other = mkdtempSync(join(tmpdir(), 'secret-key-'));
    try {
      const first = await readOrCreateSecretKey(folder, false, random);
      expect(await readOrCreateSecretKey(other, false, random)).not.toEqual(first);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('is made private again if its permissions were widened', async () => {
    await readOrCreateSecretKey(folder, false, random);
    chmodSync(join(folder, 'secret.key'), 0o644);
    await readOrCreateSecretKey(folder, true, random);
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('is not replaced by a new one if a database needs the old one', async () => {
    await expect(readOrCreateSecretKey(folder, true, random)).rejects.toThrow(/secret\.key is missing/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['', 'short', `${'A'.repeat(43)}=garbage`])('is rejected when damaged: "%s"', async (text) => {
    writeFileSync(join(folder, 'secret.key'), text);
    await expect(readOrCreateSecretKey(folder, true, random)).rejects.toThrow(/does not hold a key/);
  });

  it('is complete after a start that was killed while writing it', async () => {
    writeFileSync(join(folder, 'secret.key.draft'), 'half a k');
    expect(await readOrCreateSecretKey(folder, false, random)).toHaveLength(32);
  });
});
