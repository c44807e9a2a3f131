import type { RequestContext } from '../../common/request-context.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { SelfRegisteredKey } from '../app/apps.repository.js';

/** A way for clients to register themselves: by a metadata document, or by a request. */
export interface SelfRegisteredKind {
  /** Null: another kind of client id. */
  keyOf(clientId: string): SelfRegisteredKey | null;

  /**
   * Whether a client that was refused is gone for every tenant.
   * @param isAccepted whether the tenant would take it
   */
  isGone(clientId: string, isAccepted: boolean): Promise<boolean>;

  isAcceptedBy(tenant: Tenant, clientId: string): boolean;

  /**
   * Reads the client's metadata and updates its app in the tenant.
   * @returns the id of the app; null if the client is gone, or the tenant has too many
   * @throws RateLimited
   */
  read(ctx: RequestContext, tenantId: string, clientId: string): Promise<string | null>;
}
