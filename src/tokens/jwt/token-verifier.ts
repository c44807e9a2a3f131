import { Inject, Injectable } from '@nestjs/common';
import { compactVerify } from 'jose';
import { BoundedMap } from '../../common/bounded-map.js';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SigningKeys } from '../keys/signing-keys.js';
import { isCompactJwt } from './compact-jwt.rules.js';
import { isForResource } from './resource-token.rules.js';
import type { AccessClaims, IdClaims, ServiceClaims, StepClaims, TokenUse } from './token-use.js';

const CACHE_SIZE = 5_000;

export type VerifiedClaims = AccessClaims | ServiceClaims | StepClaims | IdClaims;

/** Why a token is invalid. */
export type TokenFault = 'invalid' | 'expired';

export type Verification = { readonly claims: VerifiedClaims } | { readonly fault: TokenFault };

interface Signed {
  readonly kid: string;
  readonly claims: VerifiedClaims & { readonly iss?: unknown; readonly nbf?: unknown };
}

/**
 * Verifies the service's own JWTs: RS256 only, a currently published key, issuer, times. A verified signature is
 * cached; key, issuer and times are checked each time. The caller checks audience and kind.
 */
@Injectable()
export class TokenVerifier {
  private readonly signed = new BoundedMap<string, Signed>(CACHE_SIZE);

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** For access to this service. */
  async verify(token: string): Promise<Verification> {
    return judgeDoor(await this.verifyIssued(token));
  }

  /** For any audience: to introspect or to revoke a token. */
  async verifyIssued(token: string): Promise<Verification> {
    return this.judge(token, this.signed.get(token) ?? (await this.checkSignature(token)));
  }

  /** The result of {@link verify} for a token with a cached signature; null for any other. */
  verifyKnown(token: string): Verification | null {
    const signed = this.signed.get(token);
    return signed ? judgeDoor(this.judge(token, signed)) : null;
  }

  /**
   * Reads an ID token that is sent as a hint, expired or not: it identifies a user and gives no access.
   * @returns null if it was not issued here, or its key has been retired
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
      // The service writes plain JSON. A duplicate claim, which two parsers may read differently, would not be
      // serialized the same.
      if (JSON.stringify(claims) !== text) return null;
      const signed = { kid, claims: claims as Signed['claims'] };
      this.signed.set(token, signed);
      return signed;
    } catch {
      // Every error leads to the same result: the service did not issue this token.
      return null;
    }
  }
}

/** A token for a tenant's API gives no access to this service. */
function judgeDoor(verification: Verification): Verification {
  if ('fault' in verification) return verification;
  const { claims } = verification;
  const isOfClient = claims.token_use === 'access' || claims.token_use === 'service';
  return isOfClient && isForResource(claims) ? { fault: 'invalid' } : verification;
}

/** Without `logout`: those tokens are for apps, and are never sent back. */
const KINDS: ReadonlySet<TokenUse> = new Set<TokenUse>(['access', 'service', 'id', 'totp_session', 'totp_setup']);
