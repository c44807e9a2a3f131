import { Injectable } from '@nestjs/common';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { signedInAtMs } from '../../jwt/signed-in-at.rules.js';
import { TokenVerifier, type Verification } from '../../jwt/token-verifier.js';
import type { AccessClaims } from '../../jwt/token-use.js';

export interface ValidToken {
  readonly valid: true;
  readonly claims: AccessClaims;
  readonly emailVerified: boolean;
}

interface InvalidToken {
  readonly valid: false;
  readonly error: string;
}

export type TokenCheck = ValidToken | InvalidToken;

/**
 * The answers of /token/verify: whether a token is an access token for the app, and its user may still enter the app.
 */
@Injectable()
export class TokenCheckService {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly entries: EntryCache,
  ) {}

  /** Never throws for an invalid token, and never repeats it. */
  async check(token: string, audience: string): Promise<TokenCheck> {
    const judged = judge(await this.verifier.verify(token), audience);
    if ('error' in judged) return judged;
    const { claims } = judged;
    const admission = await this.entries.admission(claims.sub, claims.aud, signedInAtMs(claims));
    if (admission !== 'admitted') return invalid(REFUSALS[admission]);
    return { valid: true, claims, emailVerified: await this.entries.hasProvenEmail(claims.sub) };
  }

  /** The answer of {@link check} for a valid token, if cached data is sufficient; null: call that one. */
  checkKnown(token: string, audience: string): ValidToken | null {
    const verification = this.verifier.verifyKnown(token);
    const judged = verification && judge(verification, audience);
    if (!judged || 'error' in judged) return null;
    const { claims } = judged;
    if (this.entries.knownAdmission(claims.sub, claims.aud, signedInAtMs(claims)) !== 'admitted') return null;
    return { valid: true, claims, emailVerified: this.entries.isKnownToHaveProvenEmail(claims.sub) };
  }
}

function judge(verification: Verification, audience: string): { readonly claims: AccessClaims } | InvalidToken {
  if ('fault' in verification) return invalid(verification.fault === 'expired' ? 'Token has expired' : 'Invalid token');
  const { claims } = verification;
  if (claims.token_use !== 'access') return invalid('Invalid token type');
  if (claims.aud !== audience.toLowerCase()) return invalid('Invalid audience');
  return { claims };
}

const REFUSALS = {
  user_inactive: 'User is not active',
  app_closed: 'App is not active',
  suspended: 'Account suspended',
  pending: 'User not enrolled',
  not_enrolled: 'User not enrolled',
  email_not_verified: 'Email not verified',
} as const;

function invalid(error: string): InvalidToken {
  return { valid: false, error };
}
