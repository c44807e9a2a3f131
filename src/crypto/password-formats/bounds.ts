/**
 * Maximum cost of checking an imported hash. The importer decides how much every later sign-in attempt costs, and
 * attempts need no password: without limits, a string such as `$argon2id$…m=4194304…` would be a denial of service.
 */
export const BOUNDS = {
  /** A cost of 16 takes about four seconds. */
  bcryptCost: { min: 4, max: 15 },
  /** 256 MiB per check (KiB), libsodium's MODERATE; at most 1 GiB read or written in all passes. */
  argon2: { memory: 262_144, passes: 16, lanes: 16, work: 1_048_576 },
  /** Bytes: N = 2¹⁸ with r = 8. */
  scrypt: { memory: 268_435_456, work: 536_870_912, lanes: 16 },
  /** Three times what OWASP recommends for SHA-256. */
  pbkdf2Iterations: { min: 1_000, max: 2_000_000 },
  saltBytes: { min: 8, max: 48 },
  hashBytes: { min: 16, max: 64 },
} as const;

export function within(value: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return value >= min && value <= max;
}

/** Shorter hashes would match other passwords; longer ones only cost time. */
export function areSound(salt: Buffer, hash: Buffer): boolean {
  return within(salt.length, BOUNDS.saltBytes) && within(hash.length, BOUNDS.hashBytes);
}
