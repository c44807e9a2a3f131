import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/app-directory.js';
import { DpopProofRefused } from '../dpop/dpop.errors.js';
import type { AccessClaims } from '../jwt/token-use.js';
import { TokenVerifier } from '../jwt/token-verifier.js';
import { ExchangeRefused } from '../protocol/tokens.errors.js';
import { LiveAccess } from './live-access.js';
import type { KnownFamily } from './refresh-families.repository.js';
import { entitlementOf, judgeActor, judgeBinding } from './token-exchange.rules.js';

/** A user's access token that a client may exchange. */
export interface SubjectToken {
  readonly claims: AccessClaims;
  readonly family: KnownFamily;
  readonly servedResource: string | null;
}

/** Reads subject tokens (RFC 8693 section 2.1). */
@Injectable()
export class SubjectTokens {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly live: LiveAccess,
  ) {}

  /**
   * One of ours that is good at this moment, and that this client was given. What is wrong with any other is not told apart.
   * @param jkt of the key that the client has shown; null: none
   * @throws ExchangeRefused, DpopProofRefused
   */
  async read(client: RegisteredClient, token: string, jkt: string | null): Promise<SubjectToken> {
    const verification = await this.verifier.verifyIssued(token);
    const claims = 'claims' in verification ? verification.claims : null;
    if (claims?.token_use !== 'access') throw new ExchangeRefused('Invalid subject_token');
    const entitlement = entitlementOf(claims, client);
    const family = entitlement && (await this.live.find(claims));
    if (!family) throw new ExchangeRefused('Invalid subject_token');
    const { id } = client.app;
    const fault = judgeActor(claims, id);
    if (fault !== null) throw new ExchangeRefused(fault);
    const unbound = judgeBinding(claims, id, jkt);
    if (unbound !== null) throw new DpopProofRefused({ code: 'invalid_dpop_proof', message: unbound });
    return { claims, family, ...entitlement };
  }
}
