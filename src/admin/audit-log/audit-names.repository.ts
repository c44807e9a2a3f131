import { Injectable } from '@nestjs/common';
import type { Scope } from '../../common/actor.js';
import { Statements } from '../../database/statements.js';

/** What an id in an audit entry refers to. */
export interface FoundName {
  readonly kind: 'user' | 'app' | 'tenant';
  readonly id: string;
  readonly name: string;
  /** E-mail address of a user. */
  readonly email: string | null;
}

/**
 * Reads the names for all ids of a page in one statement. A name outside the caller's scope is not found, as if the
 * object did not exist.
 */
const NAMES = {
  name: 'admin.audit_names',
  text: `SELECT 'user' AS kind, u.id, u.display_name AS name, u.email FROM users u
      WHERE u.id = ANY($1::uuid[]) AND ($4 OR EXISTS (SELECT FROM enrollments e
        WHERE e.user_id = u.id AND (e.tenant_id = ANY($5::uuid[]) OR e.app_id = ANY($6::uuid[]))))
    UNION ALL
    SELECT 'app', a.id, CASE WHEN a.is_console_app THEN 'Console of ' || t.name ELSE a.name END, NULL
      FROM apps a JOIN tenants t ON t.id = a.tenant_id
      WHERE a.id = ANY($2::uuid[]) AND ($4 OR a.tenant_id = ANY($5::uuid[]) OR a.id = ANY($6::uuid[]))
    UNION ALL
    SELECT 'tenant', t.id, t.name, NULL FROM tenants t
      WHERE t.id = ANY($3::uuid[]) AND ($4 OR t.id = ANY($5::uuid[])
        OR EXISTS (SELECT FROM apps a WHERE a.tenant_id = t.id AND a.id = ANY($6::uuid[])))`,
};

@Injectable()
export class AuditNamesRepository {
  constructor(private readonly statements: Statements) {}

  find(
    ids: { readonly users: readonly string[]; readonly apps: readonly string[]; readonly tenants: readonly string[] },
    { everything, tenantIds, appIds }: Scope,
  ): Promise<FoundName[]> {
    const values = [ids.users, ids.apps, ids.tenants, everything, tenantIds, appIds];
    return this.statements.run<FoundName & object>(NAMES, values);
  }
}
