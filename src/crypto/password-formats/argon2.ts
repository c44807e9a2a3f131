import { areSound, BOUNDS } from './bounds.js';
import { hasOnly, readPhc } from './phc.js';

export interface StoredArgon2 {
  readonly family: 'argon2';
  readonly hash: string;
}

/** argon2id and argon2i, `$argon2id$v=19$m=65536,t=3,p=4$salt$hash` (RFC 9106); m counts KiB. */
export function readArgon2(text: string): StoredArgon2 | null {
  const phc = readPhc(text);
  if (!phc || !['argon2id', 'argon2i'].includes(phc.id) || !hasOnly(phc, ['m', 't', 'p'])) return null;
  if (phc.version !== 19 && phc.version !== 16) return null;
  const [memory, passes, lanes] = ['m', 't', 'p'].map((name) => phc.parameters.get(name)!) as [number, number, number];
  const { argon2 } = BOUNDS;
  const isSound = passes >= 1 && lanes >= 1 && memory >= 8 * lanes && areSound(phc.salt, phc.hash);
  const isBearable =
    memory <= argon2.memory && passes <= argon2.passes && lanes <= argon2.lanes && memory * passes <= argon2.work;
  return isSound && isBearable ? { family: 'argon2', hash: text } : null;
}
