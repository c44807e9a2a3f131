import type { RequestContext } from '../../common/request-context.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { SelfRegisteredKey } from '../app/self-registered-key.js';

/** One way for clients to register themselves: by a document, or by a request. */
export interface SelfRegisteredKind {
  /** Null: the client id is of another kind. */
  keyOf(clientId: string): SelfRegisteredKey | null;

  isTakenBy(tenant: Tenant, clientId: string): boolean;

  /**
   * What the client says of itself now, as an app of the tenant.
   * @returns its id; null where the client is gone, or the tenant has too many
   * @throws RateLimited
   */
  read(ctx: RequestContext, tenantId: string, clientId: string): Promise<string | null>;
}
