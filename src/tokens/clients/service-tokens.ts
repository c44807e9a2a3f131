import { Injectable } from '@nestjs/common';
import { LiveClients, type LiveClient } from '../../apps/directory/live-clients.js';
import { AuditService } from '../../audit/audit.service.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { isForResource } from '../jwt/resource-token.rules.js';
import type { ServiceClaims } from '../jwt/token-use.js';
import { type ProofName, SpentProofs } from '../proofs/spent-proofs.service.js';
import { findResource } from '../protocol/resource.rules.js';

/** Whether service tokens are still good, and how they end before they expire. */
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
   * What the app of a service token may do at this moment. Every place that accepts or describes a service token calls this.
   * @returns null where the app may not act as itself, or the token has been revoked
   */
  async findLive(claims: ServiceClaims): Promise<LiveClient | null> {
    const [live, isRevoked] = await Promise.all([
      this.liveClients.find(claims.sub),
      this.spent.isDenied(nameOf(claims)),
    ]);
    return live?.mayAct && !isRevoked ? live : null;
  }

  /**
   * The scopes that its app has now: of a token for a resource those that the resource has.
   * @returns null where {@link findLive} finds nothing, or the app may not ask for the resource any more
   */
  async findScopes(claims: ServiceClaims): Promise<readonly string[] | null> {
    const [live, client] = await Promise.all([this.findLive(claims), this.directory.findOpen(claims.client_id)]);
    if (!live || !client) return null;
    return isForResource(claims) ? (findResource(client, claims.aud)?.scopes ?? null) : live.serviceScopes;
  }

  /** It is good nowhere from then on (RFC 7009). A second time changes nothing. */
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
