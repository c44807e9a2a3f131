import { createHash, timingSafeEqual } from 'node:crypto';

/** base64url SHA-256, 43 characters without padding (RFC 7636 section 4.2). */
export const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** RFC 7636 section 4.1. */
const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** A verifier is required if and only if a challenge was stored. */
export function judgeVerifier(challenge: string | null, verifier: string | null): 'ok' | 'mismatch' {
  if (challenge === null || verifier === null) return challenge === verifier ? 'ok' : 'mismatch';
  if (!CODE_VERIFIER.test(verifier)) return 'mismatch';
  const computed = createHash('sha256').update(verifier, 'ascii').digest('base64url');
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge)) ? 'ok' : 'mismatch';
}
