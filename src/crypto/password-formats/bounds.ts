/**
 * What a hash of another system may cost at most to check. The importer decides what every later sign-in attempt
 * on that account costs the service, and attempts need no password: without bounds one string such as
 * `$argon2id$…m=4194304…` would be a denial of service.
 */
export const BOUNDS = {
  /** 16 is about four seconds. */
  bcryptCost: { min: 4, max: 15 },
  /** 256 MiB per check (KiB), libsodium's MODERATE; and not more than 1 GiB read or written in all passes. */
  argon2: { memory: 262_144, passes: 16, lanes: 16, work: 1_048_576 },
  /** Bytes: N = 2¹⁸ with r = 8. */
  scrypt: { memory: 268_435_456, work: 536_870_912, lanes: 16 },
  /** Three times what OWASP asks of SHA-256. */
  pbkdf2Iterations: { min: 1_000, max: 2_000_000 },
  saltBytes: { min: 8, max: 48 },
  hashBytes: { min: 16, max: 64 },
} as const;

export function within(value: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return value >= min && value <= max;
}

/** Shorter results would let other passwords in; longer ones only cost time. */
export function areSound(salt: Buffer, hash: Buffer): boolean {
  return within(salt.length, BOUNDS.saltBytes) && within(hash.length, BOUNDS.hashBytes);
}
