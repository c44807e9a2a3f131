import { Inject, Injectable } from '@nestjs/common';
import { compactVerify } from 'jose';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SigningKeys } from '../keys/signing-keys.js';
import { isCompactJwt } from './compact-jwt.rules.js';
import { isForResource } from './resource-token.rules.js';
import type { AccessClaims, IdClaims, ServiceClaims, StepClaims, TokenUse } from './token-use.js';

const CACHE_SIZE = 5_000;

export type VerifiedClaims = AccessClaims | ServiceClaims | StepClaims | IdClaims;

/** Why a token is no good. */
export type TokenFault = 'invalid' | 'expired';

export type Verification = { readonly claims: VerifiedClaims } | { readonly fault: TokenFault };

interface Signed {
  readonly kid: string;
  readonly claims: VerifiedClaims & { readonly iss?: unknown; readonly nbf?: unknown };
}

/**
 * Verifies our own JWTs: RS256 only, a key that we publish now, issuer, times. What a cached signature proves never
 * changes; key, issuer and times are looked at again each time. Audience and kind are the caller's to check.
 */
@Injectable()
export class TokenVerifier {
  private readonly signed = new Map<string, Signed>();

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** For the doors of this service. */
  async verify(token: string): Promise<Verification> {
    return judgeDoor(await this.verifyIssued(token));
  }

  /** Whatever it was made for: to say what it is, or to end it. */
  async verifyIssued(token: string): Promise<Verification> {
    return this.judge(token, this.signed.get(token) ?? (await this.checkSignature(token)));
  }

  /** What {@link verify} says of a token whose signature it has checked before; null of any other. */
  verifyKnown(token: string): Verification | null {
    const signed = this.signed.get(token);
    return signed ? judgeDoor(this.judge(token, signed)) : null;
  }

  /**
   * An ID token that comes back as a hint, expired or not: it says who a user was and opens nothing.
   * @returns null where it is none of ours, or its key has been retired
   */
  async readHint(token: string): Promise<IdClaims | null> {
    const claims = this.read(this.signed.get(token) ?? (await this.checkSignature(token)));
    return claims?.token_use === 'id' ? claims : null;
  }

  private judge(token: string, signed: Signed | null): Verification {
    const claims = this.read(signed);
    if (!claims) return { fault: 'invalid' };
    if (claims.exp <= this.clock.seconds()) {
      this.signed.delete(token);
      return { fault: 'expired' };
    }
    return { claims };
  }

  private read(signed: Signed | null): VerifiedClaims | null {
    if (!signed || !this.keys.find(signed.kid)) return null;
    const { claims } = signed;
    if (claims.iss !== this.settings.baseUrl || claims.nbf !== undefined || typeof claims.exp !== 'number') return null;
    return typeof claims.aud === 'string' && KINDS.has(claims.token_use) ? claims : null;
  }

  private async checkSignature(token: string): Promise<Signed | null> {
    if (!isCompactJwt(token)) return null;
    let kid = '';
    try {
      const { payload } = await compactVerify(
        token,
        (header) => {
          const key = typeof header.kid === 'string' ? this.keys.find(header.kid) : null;
          if (!key) throw new Error('unknown key');
          kid = key.kid;
          return key.publicKey;
        },
        { algorithms: ['RS256'] },
      );
      const text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
      const claims: unknown = JSON.parse(text);
      if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return null;
      // We write plain JSON; a claim given twice, of which two readers may see two values, does not come back the same.
      if (JSON.stringify(claims) !== text) return null;
      const signed = { kid, claims: claims as Signed['claims'] };
      this.remember(token, signed);
      return signed;
    } catch {
      // Whatever is wrong with it, the answer is the same: the token is not one of ours.
      return null;
    }
  }

  private remember(token: string, signed: Signed): void {
    this.signed.set(token, signed);
    if (this.signed.size > CACHE_SIZE) this.signed.delete(this.signed.keys().next().value!);
  }
}

/** A token for an API of a tenant's opens no door of this service. */
function judgeDoor(verification: Verification): Verification {
  if ('fault' in verification) return verification;
  const { claims } = verification;
  const isOfClient = claims.token_use === 'access' || claims.token_use === 'service';
  return isOfClient && isForResource(claims) ? { fault: 'invalid' } : verification;
}

/** Not `logout`: those are for apps, and never come back. */
const KINDS: ReadonlySet<TokenUse> = new Set<TokenUse>(['access', 'service', 'id', 'totp_session', 'totp_setup']);
