import type { Tenant } from '../../tenants/tenant.entity.js';

/** The subject of an audit entry about a tenant. */
export function tenantSubject(tenant: Tenant, metadata: Record<string, unknown> = {}) {
  return { tenantId: tenant.id, target: { type: 'tenant', id: tenant.id }, metadata };
}
