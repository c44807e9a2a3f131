import { readAdaptedBase64 } from './base64.js';
import { areSound, BOUNDS, within } from './bounds.js';
import { hasOnly, readPhc } from './phc.js';

export interface StoredPbkdf2 {
  readonly family: 'pbkdf2';
  readonly digest: 'sha256' | 'sha512';
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

const PASSLIB = /^\$pbkdf2-(sha256|sha512)\$([1-9]\d{0,9})\$([^$]{1,100})\$([^$]{1,200})$/;
const PHC_ID = /^pbkdf2-(sha256|sha512)$/;

/** Passlib's `$pbkdf2-sha256$29000$salt$hash` and the PHC form `$pbkdf2-sha256$i=29000,l=32$salt$hash` (RFC 8018). */
export function readPbkdf2(text: string): StoredPbkdf2 | null {
  const read = readPasslib(text) ?? readPhcForm(text);
  if (!read || !within(read.iterations, BOUNDS.pbkdf2Iterations)) return null;
  return areSound(read.salt, read.key) ? { family: 'pbkdf2', ...read } : null;
}

interface Parts {
  readonly digest: StoredPbkdf2['digest'];
  readonly iterations: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

function readPasslib(text: string): Parts | null {
  const match = PASSLIB.exec(text);
  if (!match) return null;
  const [salt, key] = [readAdaptedBase64(match[3]!), readAdaptedBase64(match[4]!)];
  return salt && key && { digest: match[1] as Parts['digest'], iterations: Number(match[2]), salt, key };
}

function readPhcForm(text: string): Parts | null {
  const phc = readPhc(text);
  const digest = phc && PHC_ID.exec(phc.id)?.[1];
  if (!phc || !digest || phc.version !== null || !hasOnly(phc, ['i'], ['l'])) return null;
  const length = phc.parameters.get('l') ?? phc.hash.length;
  if (length !== phc.hash.length) return null;
  return { digest: digest as Parts['digest'], iterations: phc.parameters.get('i')!, salt: phc.salt, key: phc.hash };
}
