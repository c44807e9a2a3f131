import { areSound, BOUNDS } from './bounds.js';
import { hasOnly, readPhc } from './phc.js';

export interface StoredScrypt {
  readonly family: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

/** `$scrypt$ln=17,r=8,p=1$salt$hash` (RFC 7914, as written by passlib and others); N is 2^ln. */
export function readScrypt(text: string): StoredScrypt | null {
  const phc = readPhc(text);
  if (!phc || phc.id !== 'scrypt' || phc.version !== null || !hasOnly(phc, ['ln', 'r', 'p'])) return null;
  const [ln, r, p] = ['ln', 'r', 'p'].map((name) => phc.parameters.get(name)!) as [number, number, number];
  if (ln < 1 || ln > 30 || r < 1 || p < 1 || ln >= 16 * r || !areSound(phc.salt, phc.hash)) return null;
  const N = 2 ** ln;
  const memory = 128 * N * r;
  const { scrypt } = BOUNDS;
  if (memory > scrypt.memory || memory * p > scrypt.work || p > scrypt.lanes) return null;
  return { family: 'scrypt', N, r, p, salt: phc.salt, key: phc.hash };
}
