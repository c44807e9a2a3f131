import { acceptsDocumentsOf } from '../../tenants/client-document-hosts.rules.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { App } from './app.entity.js';

/**
 * Whether the tenant accepts a client that registered itself: by the host of its document, or by its setting for
 * registration requests.
 */
export function isAcceptedBy(
  { origin, metadataUrl }: Pick<App, 'origin' | 'metadataUrl'>,
  { clientDocumentHosts, clientRegistration }: Pick<Tenant, 'clientDocumentHosts' | 'clientRegistration'>,
): boolean {
  if (origin === 'dynamic_registration') return clientRegistration;
  return metadataUrl === null || acceptsDocumentsOf(clientDocumentHosts, new URL(metadataUrl).host);
}
