import { Injectable } from '@nestjs/common';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { signedInAtMs } from '../jwt/signed-in-at.rules.js';
import { TokenVerifier } from '../jwt/token-verifier.js';
import type { AccessClaims } from '../jwt/token-use.js';

export type TokenCheck =
  | { readonly valid: true; readonly claims: AccessClaims; readonly emailVerified: boolean }
  | { readonly valid: false; readonly error: string };

/** What /token/verify answers: an access token of that app whose bearer may still enter it. */
@Injectable()
export class TokenCheckService {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly entries: EntryCache,
  ) {}

  /** Never throws for a bad token, and never repeats it. */
  async check(token: string, audience: string): Promise<TokenCheck> {
    const verification = await this.verifier.verify(token);
    if ('fault' in verification)
      return invalid(verification.fault === 'expired' ? 'Token has expired' : 'Invalid token');
    const { claims } = verification;
    if (claims.token_use !== 'access') return invalid('Invalid token type');
    if (claims.aud !== audience.toLowerCase()) return invalid('Invalid audience');
    const admission = await this.entries.admission(claims.sub, claims.aud, signedInAtMs(claims));
    if (admission !== 'admitted') return invalid(REFUSALS[admission]);
    return { valid: true, claims, emailVerified: await this.entries.hasProvenEmail(claims.sub) };
  }
}

const REFUSALS = {
  user_inactive: 'User is not active',
  app_closed: 'App is not active',
  suspended: 'Account suspended',
  pending: 'User not enrolled',
  not_enrolled: 'User not enrolled',
  email_not_verified: 'Email not verified',
} as const;

function invalid(error: string): TokenCheck {
  return { valid: false, error };
}
