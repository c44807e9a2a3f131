import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/request-context.js';
import { takesDocumentsOf } from '../tenants/client-document-hosts.rules.js';
import { TenantsService } from '../tenants/tenants.service.js';
import type { App } from './app.entity.js';
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
    private readonly clock: Clock,
  ) {}

  /** For where a sign-in begins: reads the document where it is new, or was read too long ago. */
  async begin(ctx: RequestContext, clientId: string, resource: unknown): Promise<string> {
    const url = readClientUrl(clientId);
    if (!url) return clientId;
    if (typeof resource !== 'string' || resource === '') return clientId;
    const tenant = await this.tenants.findByResource(resource);
    if (!tenant?.isActive || !takesDocumentsOf(tenant.clientDocumentHosts, url.host)) return clientId;
    const known = await this.apps.findByMetadataUrl(tenant.id, clientId);
    if (known && this.isFresh(known) && (known.config.resources ?? []).includes(resource)) return known.id;
    const published = await this.documents.fetch(clientId);
    return (published && (await this.clients.save(ctx, tenant.id, clientId, published))) ?? clientId;
  }

  /** For what follows: without a resource where one tenant alone knows the client. */
  async find(clientId: string, resource: string | null): Promise<string> {
    if (!readClientUrl(clientId)) return clientId;
    const tenant = resource === null ? null : await this.tenants.findByResource(resource);
    const found = await this.apps.listByMetadataUrl(clientId);
    const own = resource === null ? found : found.filter(({ tenantId }) => tenantId === tenant?.id);
    return own.length === 1 ? own[0]!.id : clientId;
  }

  private isFresh({ metadataExpiresAt }: App): boolean {
    return metadataExpiresAt !== null && metadataExpiresAt > this.clock.now();
  }
}
