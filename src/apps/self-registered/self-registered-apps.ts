import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { AppChanges } from '../changes/app-changes.js';
import { type AppConfig, DEFAULT_BRANDING, DEFAULT_CONFIG } from '../app/app-config.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import { ownClientId } from '../app/client-id.rules.js';
import { NewApps } from '../changes/new-apps.js';
import type { AppOrigin } from '../app/app-origin.rules.js';
import type { SelfRegisteredKey } from '../app/apps.repository.js';
import { UnusedClientsRepository } from '../directory/unused-clients.repository.js';

/** Most self-registered clients of one tenant. */
const MAX_CLIENTS_PER_TENANT = 1_000;

/** Metadata of a client, and how long it counts as current. */
export interface DescribedClient {
  readonly key: SelfRegisteredKey;
  readonly origin: AppOrigin;
  readonly name: string;
  readonly claimedName: string | null;
  readonly redirectUris: readonly string[];
  readonly usesDevices: boolean;
  /** In seconds. */
  readonly keepFor: number;
}

/** The apps of self-registered clients. */
@Injectable()
export class SelfRegisteredApps {
  constructor(
    private readonly apps: AppsRepository,
    private readonly unused: UnusedClientsRepository,
    private readonly newApps: NewApps,
    private readonly tenants: TenantsService,
    private readonly changes: AppChanges,
  ) {}

  /**
   * Creates or updates the app with the client's current metadata. Two concurrent requests create one row.
   * @param describe called in the same transaction; null: the client is gone
   * @returns null also if the tenant has too many clients that are in use
   */
  save(
    ctx: RequestContext,
    tenantId: string,
    describe: (tx: EntityManager) => Promise<DescribedClient | null>,
  ): Promise<string | null> {
    return this.changes.run(null, async (tx) => {
      const client = await describe(tx);
      return client && this.write(tx, ctx, tenantId, client);
    });
  }

  private async write(
    tx: EntityManager,
    ctx: RequestContext,
    tenantId: string,
    client: DescribedClient,
  ): Promise<string | null> {
    const until = { metadataExpiresAt: () => `now() + make_interval(secs => ${Number(client.keepFor)})` };
    const tenant = await this.tenants.getForUpdate(tx, tenantId);
    const config: AppConfig = {
      ...DEFAULT_CONFIG,
      // As strict as the apps that the tenant's operators have created.
      ...(await this.apps.signInRulesOf(tenantId, tx)),
      redirect_uris: [...client.redirectUris],
      client_type: 'native',
      device_grant: client.usesDevices,
      available_roles: ['user'],
      auto_assign_roles: ['user'],
      resources: tenant.resources.map(({ identifier }) => identifier),
    };
    const known = await this.apps.lockSelfRegistered(tx, tenantId, client.key);
    if (known) return (await this.apps.update(tx, known.id, { config, ...until })).id;
    const isFull = (await this.apps.countSelfRegistered(tx, tenantId)) >= MAX_CLIENTS_PER_TENANT;
    const removed = isFull ? await this.unused.makeRoom(tx, tenantId) : null;
    if (isFull && !removed) return null;
    if (removed) await this.changes.recordRemoved(tx, removed, 'client_removed');
    const app = await this.insert(tx, client, { tenantId, config, isActive: tenant.isActive });
    await this.apps.update(tx, app.id, until);
    const { name, claimedName, metadataUrl } = app;
    const own =
      metadataUrl === null ? { client_id: ownClientId(app), client_name: claimedName } : { metadata_url: metadataUrl };
    await this.changes.record(tx, ctx, 'app.created', app, {
      ...{ name, ...own },
      ...(removed && { replaced: { id: removed.id, name: removed.name } }),
    });
    return app.id;
  }

  private async insert(
    tx: EntityManager,
    { key, origin, name, claimedName }: DescribedClient,
    fields: Pick<App, 'tenantId' | 'config' | 'isActive'>,
  ): Promise<App> {
    const { app } = await this.newApps.insert(tx, {
      ...fields,
      ...key,
      origin,
      name,
      claimedName,
      registrationPolicy: 'invite',
      offWithTenant: !fields.isActive,
      serviceScopes: [],
      branding: DEFAULT_BRANDING,
    });
    return app;
  }
}
