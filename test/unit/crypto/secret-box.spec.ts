import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import { SealedValueUnreadable, SecretBox } from '../../../src/crypto/secret-box.js';

// security 112, 113
describe('Encrypted value', () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const box = new SecretBox(key, null, new SystemRandomness());

  it('can be decrypted in its own row', () => {
    expect(box.open(box.seal('päss', 'keys:1'), 'keys:1')).toBe('päss');
  });

  it('cannot be decrypted in another row', () => {
    expect(() => box.open(box.seal('secret', 'keys:1'), 'keys:2')).toThrow(SealedValueUnreadable);
  });

  it('cannot be decrypted after a byte was changed', () => {
    const [version, id, body] = box.seal('secret', 'keys:1').split('.');
    const bytes = Buffer.from(body!, 'base64url');
    bytes[14]! ^= 1;
    expect(() => box.open(`${version}.${id}.${bytes.toString('base64url')}`, 'keys:1')).toThrow(SealedValueUnreadable);
  });

  it('cannot be decrypted with another key, and the error names the missing key', () => {
    const sealed = box.seal('secret', 'keys:1');
    const stranger = new SecretBox(other, null, new SystemRandomness());
    expect(() => stranger.open(sealed, 'keys:1')).toThrow(/SECRET_KEY/);
  });

  it('can be decrypted with the previous key, and is then reported as outdated', () => {
    const rotated = new SecretBox(other, key, new SystemRandomness());
    const old = box.seal('secret', 'keys:1');
    expect(rotated.open(old, 'keys:1')).toBe('secret');
    expect([rotated.isStale(old), rotated.isStale(rotated.seal('secret', 'keys:1'))]).toEqual([true, false]);
  });

  it('can be decrypted by the processes of this and the next step of a rotation', () => {
    const steps = [
      [key, null],
      [key, other],
      [other, key],
    ] as const;
    const boxes = steps.map(([current, previous]) => new SecretBox(current, previous, new SystemRandomness()));
    for (const [before, after] of [boxes.slice(0, 2), boxes.slice(1)])
      for (const [one, two] of [
        [before!, after!],
        [after!, before!],
      ] as const)
        expect(two.open(one.seal('secret', 'keys:1'), 'keys:1')).toBe('secret');
  });

  it('is different each time', () => {
    expect(box.seal('secret', 'keys:1')).not.toBe(box.seal('secret', 'keys:1'));
  });
});
