import type { Scope } from '../../common/actor.js';
import type { BindParameter } from './query.js';

/**
 * SQL condition: the row is in the scope. Empty lists are left out, because the planner cannot estimate them.
 * @param row SQL of the tenant and the app of the row
 */
export function inScope(
  { everything, tenantIds, appIds }: Scope,
  row: { readonly tenant: string; readonly app: string },
  bind: BindParameter,
): string {
  if (everything) return 'true';
  const parts = [
    ...(tenantIds.length > 0 ? [`${row.tenant} = ANY(${bind(tenantIds)}::uuid[])`] : []),
    ...(appIds.length > 0 ? [`${row.app} = ANY(${bind(appIds)}::uuid[])`] : []),
  ];
  return parts.length > 0 ? `(${parts.join(' OR ')})` : 'false';
}
