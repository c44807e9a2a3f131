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

/** A user's access token that a client may exchange. */
export interface SubjectToken {
  readonly claims: AccessClaims;
  readonly family: KnownFamily;
  /** Of those in the claims the ones that still hold. */
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
   * One of ours that is good at this moment, and that this client was given. What is wrong with any other is not told apart.
   * @param jkt of the key that the client has shown; null: none
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
   * What a token for this resource can have at most. Where the app of the sign-in asks for consent, the user has allowed it for this very
   * resource: who lets an app read at one API has said nothing about another one (docs/decisions/0078).
   * @throws InvalidTarget where there is no consent for it
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
