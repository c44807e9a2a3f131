import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { acceptsDocumentsOf } from '../../tenants/client-document-hosts.rules.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { readClientUrl } from './client-document.rules.js';
import { PublishedDocuments } from './published-documents.js';
import { type DescribedClient, SelfRegisteredApps } from './self-registered-apps.js';
import type { SelfRegisteredKind } from './self-registered-kind.js';

/** Clients whose `client_id` is the URL of their metadata document (docs/decisions/0077). */
@Injectable()
export class ClientDocuments implements SelfRegisteredKind {
  constructor(
    private readonly documents: PublishedDocuments,
    private readonly apps: SelfRegisteredApps,
  ) {}

  keyOf(clientId: string) {
    return readClientUrl(clientId) ? { metadataUrl: clientId } : null;
  }

  /** The document was read only for a tenant that would take the client. */
  isGone(_clientId: string, isAccepted: boolean): Promise<boolean> {
    return Promise.resolve(isAccepted);
  }

  isAcceptedBy({ clientDocumentHosts }: Tenant, clientId: string): boolean {
    return acceptsDocumentsOf(clientDocumentHosts, new URL(clientId).host);
  }

  async read(ctx: RequestContext, tenantId: string, clientId: string): Promise<string | null> {
    const published = await this.documents.fetch(ctx, clientId);
    if (!published) return null;
    const client: DescribedClient = {
      ...published.document,
      key: { metadataUrl: clientId },
      origin: 'metadata_document',
      // The client cannot choose its host freely, unlike a name.
      name: new URL(clientId).host,
      claimedName: null,
      keepFor: published.keepFor,
    };
    return this.apps.save(ctx, tenantId, () => Promise.resolve(client));
  }
}
