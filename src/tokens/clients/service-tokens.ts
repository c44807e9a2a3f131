import { Injectable } from '@nestjs/common';
import { LiveClients, type LiveClient } from '../../apps/directory/live-clients.js';
import { AuditService } from '../../audit/audit.service.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { isForResource } from '../jwt/resource-token.rules.js';
import type { ServiceClaims } from '../jwt/token-use.js';
import { type ProofName, SpentProofs } from '../proofs/spent-proofs.service.js';
import { findServerResource } from '../protocol/resource.rules.js';

/** Whether service tokens are still valid, and how they are revoked. */
@Injectable()
export class ServiceTokens {
  constructor(
    private readonly liveClients: LiveClients,
    private readonly spent: SpentProofs,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * The current permissions of the app of a service token. All code that accepts or describes a service token calls
   * this.
   * @returns null if the app may not use client credentials, or the token has been revoked
   */
  async findLive(claims: ServiceClaims): Promise<LiveClient | null> {
    const [live, isRevoked] = await Promise.all([
      this.liveClients.find(claims.sub),
      this.spent.isDenied(nameOf(claims)),
    ]);
    return live?.mayAct && !isRevoked ? live : null;
  }

  /**
   * The current scopes of the token's app, or those of the resource if the token is for one.
   * @returns null if {@link findLive} returns null, or the app may no longer request the resource
   */
  async findScopes(claims: ServiceClaims): Promise<readonly string[] | null> {
    const [live, client] = await Promise.all([this.findLive(claims), this.directory.findOpen(claims.client_id)]);
    if (!live || !client) return null;
    return isForResource(claims) ? (findServerResource(client, claims.aud)?.scopes ?? null) : live.serviceScopes;
  }

  /** Revokes the token (RFC 7009). A second call changes nothing. */
  async revoke(ctx: RequestContext, claims: ServiceClaims): Promise<void> {
    const { client_id: appId, tenant_id: tenantId, jti } = claims;
    await this.transactions.run(async (tx) => {
      if (!(await this.spent.deny(tx, nameOf(claims), claims.exp))) return;
      const metadata = { scope: claims.scope, ...(claims.aud === appId ? {} : { resource: claims.aud }) };
      await this.audit.record(tx, ctx, 'service_token.revoked', {
        ...{ appId, tenantId, metadata },
        target: { type: 'service_token', id: jti },
      });
    });
  }
}

function nameOf({ client_id: owner, jti }: ServiceClaims): ProofName {
  return { kind: 'revoked_service_token', owner, jti };
}
