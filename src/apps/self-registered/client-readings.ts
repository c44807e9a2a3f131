import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import type { SelfRegisteredKind } from './self-registered-kind.js';

/** A self-registered client at the start of a sign-in. */
export interface BeginningClient {
  readonly clientId: string;
  readonly kind: SelfRegisteredKind;
  readonly tenant: Tenant;
  /** Resource as the tenant spells it; null: the client used the id of its app, which has its resources. */
  readonly resource: string | null;
}

/** Reads the metadata of self-registered clients that are new, or whose metadata has expired. */
@Injectable()
export class ClientReadings {
  constructor(
    private readonly apps: AppsRepository,
    private readonly limits: RateLimitsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Unauthenticated requests cause reads and writes here, so they are counted by network address first.
   * @returns the id of the client's app; null if the client is gone or not accepted
   * @throws RateLimited
   */
  async read(ctx: RequestContext, { clientId, kind, tenant, resource }: BeginningClient): Promise<string | null> {
    if (!this.isAccepted({ clientId, kind, tenant })) return null;
    const known = await this.apps.findSelfRegistered(tenant.id, kind.keyOf(clientId)!);
    if (known && !this.isDue(known, resource)) return known.id;
    const network = clientAddressKey(ctx.ip);
    await this.limits.consume('client_reads', network);
    // Counted by network as well, so that one network cannot use up the tenant's limit for others.
    if (!known) await this.limits.consume('registered_clients', `${tenant.id} ${network}`);
    return kind.read(ctx, tenant.id, clientId);
  }

  /** Whether the tenant takes clients of this kind, from this host. */
  isAccepted({ clientId, kind, tenant }: Omit<BeginningClient, 'resource'>): boolean {
    return tenant.isActive && kind.isAcceptedBy(tenant, clientId);
  }

  /** A client that an operator has switched off is not updated. */
  private isDue({ isActive, archivedAt, metadataExpiresAt, config }: App, resource: string | null): boolean {
    if (!isActive || archivedAt !== null) return false;
    const isFresh = metadataExpiresAt !== null && metadataExpiresAt > this.clock.now();
    return !isFresh || (resource !== null && !(config.resources ?? []).includes(resource));
  }
}
