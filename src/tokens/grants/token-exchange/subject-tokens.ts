import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { ProtectedResource } from '../../../tenants/protected-resource.rules.js';
import { DpopProofRefused } from '../../dpop/dpop.errors.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import { TokenVerifier } from '../../jwt/token-verifier.js';
import { ExchangeRefused, InvalidTarget } from '../../protocol/tokens.errors.js';
import { Consents } from '../consent/consents.service.js';
import { LiveAccess } from './live-access.js';
import type { KnownFamily } from '../token-family/refresh-families.repository.js';
import { entitlementOf, exchangeableScopes, judgeActor, judgeBinding } from './token-exchange.rules.js';

/** A user's access token that a client can exchange. */
export interface SubjectToken {
  readonly claims: AccessClaims;
  readonly family: KnownFamily;
  /** Those scopes of the token that are still valid. */
  readonly scope: string | undefined;
  readonly servedResource: string | null;
}

/** Reads subject tokens (RFC 8693 section 2.1). */
@Injectable()
export class SubjectTokens {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly live: LiveAccess,
    private readonly consents: Consents,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * Accepts a valid access token of this service that was issued to or received by this client. All others get the same
   * error.
   * @param jkt of the client's DPoP key; null: none
   * @throws ExchangeRefused, DpopProofRefused
   */
  async read(client: RegisteredClient, token: string, jkt: string | null): Promise<SubjectToken> {
    const verification = await this.verifier.verifyIssued(token);
    const claims = 'claims' in verification ? verification.claims : null;
    if (claims?.token_use !== 'access') throw new ExchangeRefused('Invalid subject_token');
    const entitlement = entitlementOf(claims, client);
    const live = entitlement && (await this.live.find(claims));
    if (!live) throw new ExchangeRefused('Invalid subject_token');
    const { id } = client.app;
    const fault = judgeActor(claims, id);
    if (fault !== null) throw new ExchangeRefused(fault);
    const unbound = judgeBinding(claims, id, jkt);
    if (unbound !== null) throw new DpopProofRefused({ code: 'invalid_dpop_proof', message: unbound });
    return { claims, ...live, ...entitlement };
  }

  /**
   * The maximum scopes of a token for this resource. If the app of the sign-in needs consent, the user must have
   * allowed these scopes for exactly this resource: consent for one API says nothing about another
   * (docs/decisions/0078).
   * @throws InvalidTarget without such a consent
   */
  async scopesFor(
    { scope, family: { userId, appId } }: SubjectToken,
    { identifier, scopes }: ProtectedResource,
  ): Promise<readonly string[]> {
    const client = await this.directory.findOfAnyOrigin(appId);
    const held = exchangeableScopes(scope, scopes);
    const allowed = client && (await this.consents.narrowFor(userId, client.app, identifier, held));
    if (!allowed) throw new InvalidTarget();
    return allowed;
  }
}
