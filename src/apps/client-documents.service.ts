import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../common/request-context.js';
import { isUuid } from '../common/validation/fields.js';
import { takesDocumentsOf } from '../tenants/client-document-hosts.rules.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { AppDirectory } from './app-directory.js';
import { AppsRepository } from './apps.repository.js';
import { readClientUrl } from './client-document.rules.js';
import { DocumentClients } from './document-clients.js';
import { PublishedDocuments } from './published-documents.js';

/**
 * From a `client_id` that is the address of a document to the app that stands for it. Its tenant is the one of the protected
 * resource that is asked for (docs/decisions/0077). Any other `client_id` is left as it is.
 */
@Injectable()
export class ClientDocuments {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsRepository,
    private readonly documents: PublishedDocuments,
    private readonly clients: DocumentClients,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * For where a sign-in begins: reads the document where it is new, or was read too long ago, also of a client that names
   * itself by the id of its app.
   * @throws RateLimited
   */
  async begin(ctx: RequestContext, clientId: string, resource: unknown): Promise<string> {
    if (isUuid(clientId)) return this.again(ctx, clientId.toLowerCase());
    const url = readClientUrl(clientId);
    if (!url) return clientId;
    if (typeof resource !== 'string' || resource === '') return clientId;
    const tenant = await this.tenants.findByResource(resource);
    if (!tenant?.isActive || !takesDocumentsOf(tenant.clientDocumentHosts, url.host)) return clientId;
    const known = await this.apps.findByMetadataUrl(tenant.id, clientId);
    const isFresh = known !== null && this.documents.isFresh(known.metadataExpiresAt);
    if (isFresh && (known.config.resources ?? []).includes(resource)) return known.id;
    return this.read(ctx, tenant.id, clientId);
  }

  /** For what follows: without a resource where one tenant alone knows the client. */
  async find(clientId: string, resource: string | null): Promise<string> {
    if (!readClientUrl(clientId)) return clientId;
    const tenant = resource === null ? null : await this.tenants.findByResource(resource);
    const found = await this.apps.listByMetadataUrl(clientId);
    const own = resource === null ? found : found.filter(({ tenantId }) => tenantId === tenant?.id);
    return own.length === 1 ? own[0]!.id : clientId;
  }

  private async again(ctx: RequestContext, appId: string): Promise<string> {
    const app = (await this.directory.findOfAnyOrigin(appId))?.app;
    if (!app?.metadataUrl || this.documents.isFresh(app.metadataExpiresAt)) return appId;
    return this.read(ctx, app.tenantId, app.metadataUrl);
  }

  /** @returns the address, which is no id of an app, where there is no document any more */
  private async read(ctx: RequestContext, tenantId: string, url: string): Promise<string> {
    const published = await this.documents.fetch(ctx, url);
    return (published && (await this.clients.save(ctx, tenantId, url, published))) ?? url;
  }
}
