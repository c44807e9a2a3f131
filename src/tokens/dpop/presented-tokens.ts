import { Injectable } from '@nestjs/common';
import { keyOf } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { TokenVerifier, type VerifiedClaims } from '../jwt/token-verifier.js';
import { DpopFault } from './dpop-fault.js';
import { DpopTokenRefused } from './dpop.errors.js';
import { DpopProofs, type ProvenRequest } from './dpop-proofs.service.js';

type UsesOfKeyLimit = 'dpop_key' | 'dpop_server_key';

/**
 * The token in an `Authorization` header, wherever one is accepted: with the scheme `Bearer` or, if it is bound to a
 * key, only with the scheme `DPoP` and a proof of that key (RFC 9449 section 7).
 */
@Injectable()
export class PresentedTokens {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly proofs: DpopProofs,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Whether the service issued the token; the caller decides what it allows.
   * @throws DpopTokenRefused, RateLimited for a token that is bound to a key
   */
  async verify(request: ProvenRequest): Promise<VerifiedClaims | 'missing' | 'invalid'> {
    const authorization = request.headers.authorization ?? '';
    const [, scheme, token] = /^(bearer|dpop) +([^\s]+)$/i.exec(authorization) ?? [];
    if (!scheme || !token) return /^(bearer|dpop)\s+\S/i.test(authorization) ? 'invalid' : 'missing';
    const verification = await this.verifier.verify(token);
    if ('fault' in verification) return 'invalid';
    const { claims } = verification;
    const jkt = ('cnf' in claims ? claims.cnf?.jkt : undefined) ?? null;
    const isProven = scheme.toLowerCase() === 'dpop';
    const limit = claims.token_use === 'service' ? 'dpop_server_key' : 'dpop_key';
    if (jkt !== null || isProven) await this.checkBinding(request, token, { sub: claims.sub, jkt, limit }, isProven);
    return claims;
  }

  /**
   * Each proof is a row, so uses count by key, and by the user or app of the token: a server may have one key for the
   * tokens of all its users. Its service tokens have a higher limit. A proof that was used before does not count, because others may have seen it.
   */
  private async checkBinding(
    request: ProvenRequest,
    token: string,
    { sub, jkt, limit }: { readonly sub: string; readonly jkt: string | null; readonly limit: UsesOfKeyLimit },
    isProven: boolean,
  ): Promise<void> {
    try {
      if (jkt === null) throw new DpopFault('invalid_token', 'The access token is no DPoP token: use Bearer');
      if (!isProven) throw new DpopFault('invalid_token', 'The access token is bound to a key: use DPoP');
      const key = await this.proofs.check(request, token);
      if (key.jkt !== jkt) throw new DpopFault('invalid_token', 'The access token is bound to another key');
      const counter = keyOf(sub, jkt);
      await this.limits.checkLeft(limit, counter);
      await this.proofs.spend(key);
      await this.limits.consume(limit, counter);
    } catch (error) {
      throw error instanceof DpopFault ? new DpopTokenRefused(error) : error;
    }
  }
}
