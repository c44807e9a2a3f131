import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../common/request-context.js';
import { Randomness } from '../common/randomness.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { AppChanges } from './app-changes.js';
import { type AppConfig, DEFAULT_BRANDING, DEFAULT_CONFIG } from './app-config.js';
import type { App } from './app.entity.js';
import { AppsRepository } from './apps.repository.js';
import { NewApps } from './new-apps.js';
import type { PublishedDocument } from './published-documents.js';

/** Clients of one tenant that have registered themselves. */
const MOST_CLIENTS = 1_000;

/** The rows of clients that describe themselves by a document. */
@Injectable()
export class DocumentClients {
  constructor(
    private readonly apps: AppsRepository,
    private readonly newApps: NewApps,
    private readonly tenants: TenantsService,
    private readonly changes: AppChanges,
    private readonly randomness: Randomness,
  ) {}

  /** As it is published now. Two requests at once make one row. @returns null where the tenant has too many that are used */
  save(
    ctx: RequestContext,
    tenantId: string,
    url: string,
    { document, keepFor }: PublishedDocument,
  ): Promise<string | null> {
    const until = { metadataExpiresAt: () => `now() + make_interval(secs => ${Number(keepFor)})` };
    return this.changes.run(async (tx) => {
      const tenant = await this.tenants.getForUpdate(tx, tenantId);
      const config: AppConfig = {
        ...DEFAULT_CONFIG,
        // As strict as the apps of the tenant that its operators have made.
        ...(await this.apps.signInRulesOf(tx, tenantId)),
        redirect_uris: [...document.redirectUris],
        client_type: 'native',
        device_grant: document.usesDevices,
        available_roles: ['user'],
        auto_assign_roles: ['user'],
        resources: tenant.resources.map(({ identifier }) => identifier),
      };
      const known = await this.apps.findByMetadataUrl(tenantId, url, tx);
      if (known) return (await this.apps.update(tx, known.id, { config, ...until })).id;
      const isFull = (await this.apps.countSelfRegistered(tx, tenantId)) >= MOST_CLIENTS;
      if (isFull && !(await this.apps.removeUnusedSelfRegistered(tx, tenantId))) return null;
      const id = this.randomness.uuid();
      const app = await this.insert(tx, { id, tenantId, metadataUrl: url, config, isActive: tenant.isActive });
      await this.apps.update(tx, id, until);
      await this.changes.record(tx, ctx, 'app.created', app, { name: app.name, metadata_url: url });
      return id;
    });
  }

  /** Named by its host, which it cannot choose freely as a name. */
  private async insert(
    tx: Parameters<NewApps['insert']>[0],
    fields: Pick<App, 'id' | 'tenantId' | 'config' | 'isActive'> & { readonly metadataUrl: string },
  ): Promise<App> {
    const { app } = await this.newApps.insert(tx, {
      ...fields,
      name: new URL(fields.metadataUrl).host,
      bundleId: `client.${fields.id}`,
      registrationPolicy: 'invite',
      offWithTenant: !fields.isActive,
      origin: 'metadata_document',
      serviceScopes: [],
      branding: DEFAULT_BRANDING,
    });
    return app;
  }
}
