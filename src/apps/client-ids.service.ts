import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/request-context.js';
import { isUuid } from '../common/validation/fields.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { AppDirectory } from './app-directory.js';
import type { App } from './app.entity.js';
import { AppsRepository } from './apps.repository.js';
import { ownClientId } from './client-id.rules.js';
import type { SelfRegisteredKind } from './self-registered-kind.js';
import { SelfRegisteredKinds } from './self-registered-kinds.js';

/**
 * From the `client_id` of a client that has registered itself to the app that stands for it. Its tenant is the one of the protected
 * resource that is asked for (docs/decisions/0077 and 0080). Any other `client_id` is left as it is.
 */
@Injectable()
export class ClientIds {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsRepository,
    private readonly kinds: SelfRegisteredKinds,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * For where a sign-in begins: looks at the client where it is new, or was looked at too long ago, also where it names itself
   * by the id of its app.
   * @throws RateLimited
   */
  async begin(ctx: RequestContext, clientId: string, resource: unknown): Promise<string> {
    if (isUuid(clientId)) return this.again(ctx, clientId.toLowerCase());
    const kind = this.kinds.of(clientId);
    if (!kind || typeof resource !== 'string' || resource === '') return clientId;
    const tenant = await this.tenants.findByResource(resource);
    if (!tenant?.isActive || !kind.isTakenBy(tenant, clientId)) return clientId;
    const known = await this.apps.findSelfRegistered(tenant.id, kind.keyOf(clientId)!);
    if (known && this.isFresh(known) && (known.config.resources ?? []).includes(resource)) return known.id;
    return this.read(ctx, kind, tenant.id, clientId);
  }

  /** For what follows: without a resource where one tenant alone knows the client. */
  async find(clientId: string, resource: string | null): Promise<string> {
    const key = this.kinds.of(clientId)?.keyOf(clientId);
    if (!key) return clientId;
    const tenant = resource === null ? null : await this.tenants.findByResource(resource);
    const found = await this.apps.listSelfRegistered(key);
    const own = resource === null ? found : found.filter(({ tenantId }) => tenantId === tenant?.id);
    return own.length === 1 ? own[0]!.id : clientId;
  }

  /**
   * The same for a token that says which app it belongs to: also where several tenants know the client.
   * @param holderId id of the app of the token
   */
  async findHolder(clientId: string, holderId: () => Promise<string | null>): Promise<string> {
    const found = await this.find(clientId, null);
    if (found !== clientId || !this.kinds.of(clientId)) return found;
    const id = await holderId();
    const app = id === null ? null : (await this.directory.findOfAnyOrigin(id))?.app;
    return app && ownClientId(app) === clientId ? app.id : clientId;
  }

  private async again(ctx: RequestContext, appId: string): Promise<string> {
    const app = (await this.directory.findOfAnyOrigin(appId))?.app;
    const clientId = app ? ownClientId(app) : appId;
    const kind = this.kinds.of(clientId);
    return !app || !kind || this.isFresh(app) ? appId : this.read(ctx, kind, app.tenantId, clientId);
  }

  /** @returns what is no id of an app, where the client is gone */
  private async read(
    ctx: RequestContext,
    kind: SelfRegisteredKind,
    tenantId: string,
    clientId: string,
  ): Promise<string> {
    return (await kind.read(ctx, tenantId, clientId)) ?? clientId;
  }

  private isFresh({ metadataExpiresAt }: App): boolean {
    return metadataExpiresAt !== null && metadataExpiresAt > this.clock.now();
  }
}
