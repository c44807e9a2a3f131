import { createHash, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../common/randomness.js';

/** A secret that is returned only once. Only `hash` is stored. */
export interface OpaqueToken {
  /** 256 random bits, base64url, 43 characters. */
  readonly token: string;
  /** SHA-256 of the token. The token is uniformly random, so a slow hash would add nothing. */
  readonly hash: Buffer;
}

export function newOpaqueToken(randomness: Randomness): OpaqueToken {
  const token = randomness.bytes(32).toString('base64url');
  return { token, hash: hashOpaqueToken(token) };
}

/** Whether a presented token is an opaque one: these never contain a dot, and JWTs always do. */
export function isOpaqueToken(token: string): boolean {
  return !token.includes('.');
}

export function hashOpaqueToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Compares a token with a stored hash in constant time. */
export function matchesHash(token: string, hash: Buffer): boolean {
  return timingSafeEqual(hashOpaqueToken(token), hash);
}
