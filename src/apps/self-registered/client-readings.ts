import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import type { SelfRegisteredKind } from './self-registered-kind.js';

/** A client that has registered itself, at the beginning of a sign-in. */
export interface BeginningClient {
  readonly clientId: string;
  readonly kind: SelfRegisteredKind;
  readonly tenant: Tenant;
  /** As the tenant spells it; null: the client has named itself by its app, which has its resources. */
  readonly resource: string | null;
}

/** Looks at clients that have registered themselves, where they are new, or were looked at too long ago. */
@Injectable()
export class ClientReadings {
  constructor(
    private readonly apps: AppsRepository,
    private readonly limits: RateLimitsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Strangers cause it and it writes, so it is counted by the network address before.
   * @returns the id of its app; null where it is gone or not taken
   * @throws RateLimited
   */
  async read(ctx: RequestContext, { clientId, kind, tenant, resource }: BeginningClient): Promise<string | null> {
    if (!tenant.isActive || !kind.isTakenBy(tenant, clientId)) return null;
    const known = await this.apps.findSelfRegistered(tenant.id, kind.keyOf(clientId)!);
    if (known && !this.isDue(known, resource)) return known.id;
    const network = clientAddressKey(ctx.ip);
    await this.limits.consume('client_reads', network);
    // By network as well: one of them must not use up what the others of a tenant need.
    if (!known) await this.limits.consume('registered_clients', `${tenant.id} ${network}`);
    return kind.read(ctx, tenant.id, clientId);
  }

  /** One that operators have ended stays as it is. */
  private isDue({ isActive, archivedAt, metadataExpiresAt, config }: App, resource: string | null): boolean {
    if (!isActive || archivedAt !== null) return false;
    const isFresh = metadataExpiresAt !== null && metadataExpiresAt > this.clock.now();
    return !isFresh || (resource !== null && !(config.resources ?? []).includes(resource));
  }
}
