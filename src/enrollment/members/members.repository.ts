import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { type Statement, Statements } from '../../database/statements.js';
import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';

/** A user as one app sees them. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly emailCanonical: string;
  readonly displayName: string;
  readonly emailVerified: boolean;
  readonly isActive: boolean;
  readonly passwordHash: string | null;
  readonly roles: readonly string[];
  readonly status: EnrollmentStatus;
}

interface Row extends QueryResultRow {
  readonly user_id: string;
  readonly email: string;
  readonly email_canonical: string;
  readonly display_name: string;
  readonly email_verified: boolean;
  readonly is_active: boolean;
  readonly password_hash: string | null;
  readonly roles: string[];
  readonly status: EnrollmentStatus;
}

/**
 * Ordered by bytes, regardless of the database's locale: `~>~` and `~<~` are the operators of ix_users_email_prefix, so
 * that a large app is read along the index, and a small one is sorted.
 */
const PAGE: Statement = {
  name: 'enrollment.members',
  text: `
    SELECT u.id AS user_id, u.email, u.email_canonical, u.display_name, u.email_verified, u.is_active, u.password_hash,
           e.roles, e.status
    FROM enrollments e JOIN users u ON u.id = e.user_id
    WHERE e.app_id = $1 AND u.email_canonical ~>~ $2
    ORDER BY u.email_canonical USING ~<~
    LIMIT $3`,
};

/** The members of one app in pages, by canonical address. The caller must check who may see them. */
@Injectable()
export class MembersRepository {
  constructor(private readonly statements: Statements) {}

  /** @param after the last canonical address of the page before; empty for the first page */
  async page(appId: string, after: string, limit: number): Promise<Member[]> {
    const rows = await this.statements.run<Row>(PAGE, [appId, after, limit]);
    return rows.map((row) => ({
      userId: row.user_id,
      email: row.email,
      emailCanonical: row.email_canonical,
      displayName: row.display_name,
      emailVerified: row.email_verified,
      isActive: row.is_active,
      passwordHash: row.password_hash,
      roles: row.roles,
      status: row.status,
    }));
  }
}
