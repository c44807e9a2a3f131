import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { AppDirectory } from '../directory/app-directory.js';
import { AppsRepository } from '../app/apps.repository.js';
import { ownClientId } from '../app/client-id.rules.js';
import { ClientReadings } from './client-readings.js';
import { SelfRegisteredKinds } from './self-registered-kinds.js';

/**
 * Translates the `client_id` of a self-registered client to its app. The tenant is that of the requested protected
 * resource (docs/decisions/0077 and 0080). Any other `client_id` is returned unchanged.
 */
@Injectable()
export class ClientIds {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsRepository,
    private readonly kinds: SelfRegisteredKinds,
    private readonly directory: AppDirectory,
    private readonly readings: ClientReadings,
  ) {}

  /**
   * For the start of a sign-in: reads the client's metadata if the client is new or the metadata has expired, also if
   * the client uses the id of its app.
   * @returns a value that is no app id if the client is gone or not accepted
   * @throws RateLimited
   */
  async begin(ctx: RequestContext, clientId: string, resource: unknown): Promise<string> {
    if (isUuid(clientId)) return this.again(ctx, clientId.toLowerCase());
    const kind = this.kinds.of(clientId);
    const tenant = kind && typeof resource === 'string' ? await this.tenants.findByResource(resource) : null;
    if (!kind || !tenant) return clientId;
    return (await this.readings.read(ctx, { clientId, kind, tenant, resource: resource as string })) ?? clientId;
  }

  /** For the steps after that. Without a resource, only if a single tenant has an app for the client. */
  async find(clientId: string, resource: string | null): Promise<string> {
    const key = this.kinds.of(clientId)?.keyOf(clientId);
    if (!key) return clientId;
    if (resource === null) return (await this.apps.findOnlySelfRegistered(key))?.id ?? clientId;
    const tenant = await this.tenants.findByResource(resource);
    return (tenant && (await this.apps.findSelfRegistered(tenant.id, key)))?.id ?? clientId;
  }

  /**
   * For a token or code, which determines the app: several tenants may have one for the client.
   * @param holderId id of the app of the token
   */
  async findHolder(clientId: string, holderId: () => Promise<string | null>): Promise<string> {
    if (!this.kinds.of(clientId)) return clientId;
    const id = await holderId();
    const app = id === null ? null : (await this.directory.findOfAnyOrigin(id))?.app;
    return app && ownClientId(app) === clientId ? app.id : clientId;
  }

  /**
   * Whether {@link begin} did not accept a self-registered client for the resource that it named. The reason is not
   * told: strangers could find out which resources exist. A client whose registration or document is gone learns that
   * instead, so that it registers again.
   * @param found result of {@link begin}
   */
  async isRefusedFor(resource: unknown, clientId: string, found: string): Promise<boolean> {
    const kind = found === clientId && typeof resource === 'string' && resource !== '' ? this.kinds.of(clientId) : null;
    if (kind === null) return false;
    const tenant = await this.tenants.findByResource(resource as string);
    const isAccepted = tenant !== null && this.readings.isAccepted({ clientId, kind, tenant });
    return !(await kind.isGone(clientId, isAccepted));
  }

  private async again(ctx: RequestContext, appId: string): Promise<string> {
    const known = await this.directory.findOfAnyOrigin(appId);
    const clientId = known ? ownClientId(known.app) : appId;
    const kind = this.kinds.of(clientId);
    if (!known || !kind) return appId;
    return (await this.readings.read(ctx, { clientId, kind, tenant: known.tenant, resource: null })) ?? clientId;
  }
}
