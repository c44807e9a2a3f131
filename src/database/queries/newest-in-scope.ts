import type { Scope } from '../../common/actor.js';
import type { BindParameter } from './query.js';

/** Rows of a table with `created_at`, `id`, `tenant_id` and `app_id`. */
export interface ScopedRows {
  /** Table, and its alias in `columns`, `ways` and `conditions`. */
  readonly from: { readonly table: string; readonly alias: string };
  readonly columns: string;
  /** SQL conditions, combined with AND. */
  readonly conditions: readonly string[];
  /** Alternatives (OR), each with its own index. A single condition for all of them could not use one. */
  readonly ways: readonly (readonly string[])[];
  readonly scope: Scope;
  /** Maximum number of rows as SQL; `ALL` for no limit. */
  readonly reach: string;
}

/**
 * The rows of a scope, newest first. For a caller with tenants and apps, it reads the newest rows of each from an index
 * and merges them, so the cost depends on the page size and not on the number of rows.
 */
export function newestInScope(rows: ScopedRows, bind: BindParameter): string {
  const { everything, tenantIds, appIds } = rows.scope;
  const { alias } = rows.from;
  if (everything) return newest(rows, []);
  if (tenantIds.length === 1 && appIds.length === 0)
    return newest(rows, [`${alias}.tenant_id = ${bind(tenantIds[0])}::uuid`]);
  return `SELECT DISTINCT ON (${alias}.created_at, ${alias}.id) ${alias}.* FROM (
      SELECT of_tenant.* FROM unnest(${bind(tenantIds)}::uuid[]) AS scope (id),
        LATERAL (${newest(rows, [`${alias}.tenant_id = scope.id`])}) AS of_tenant
      UNION ALL
      SELECT of_app.* FROM unnest(${bind(appIds)}::uuid[]) AS scope (id),
        LATERAL (${newest(rows, [`${alias}.app_id = scope.id`])}) AS of_app) AS ${alias}
    ORDER BY ${alias}.created_at DESC, ${alias}.id DESC`;
}

function newest({ from: { table, alias }, columns, conditions, ways, reach }: ScopedRows, scoped: string[]): string {
  const order = `ORDER BY ${alias}.created_at DESC, ${alias}.id DESC`;
  const lists = ways.map(
    (way) =>
      `SELECT ${columns} FROM ${table} ${alias} WHERE ${[...scoped, ...way, ...conditions, 'true'].join(' AND ')}
     ${order} LIMIT ${reach}`,
  );
  if (lists.length === 1) return lists[0]!;
  return `SELECT ${alias}.* FROM (${lists.map((list) => `(${list})`).join(' UNION ALL ')}) AS ${alias} ${order}`;
}
