import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Statement, Statements } from '../../database/statements.js';
import { EMAIL_MISSING, IS_OUTSIDER } from './admission.sql.js';
import type { Enrollment, EnrollmentStatus } from '../enrollments/enrollment.entity.js';

/** The facts that decide whether a user may enter an app now. */
export interface Entry {
  readonly enrollment: Pick<Enrollment, 'status' | 'roles'> | null;
  readonly appIsOn: boolean;
  readonly tenantIsOn: boolean;
  /** See `AdmissionFacts`. */
  readonly emailMissing: boolean;
  readonly isOutsider: boolean;
}

interface Row extends Record<string, unknown> {
  app_is_on: boolean;
  tenant_is_on: boolean;
  email_missing: boolean;
  is_outsider: boolean;
  status: EnrollmentStatus | null;
  roles: string[] | null;
}

const ENTRY: Statement = {
  name: 'enrollment.entry',
  text: `
    SELECT a.is_active AS app_is_on, t.is_active AS tenant_is_on, e.status, e.roles,
      ${EMAIL_MISSING} AS email_missing, ${IS_OUTSIDER} AS is_outsider
    FROM apps a JOIN tenants t ON t.id = a.tenant_id
    LEFT JOIN users u ON u.id = $2
    LEFT JOIN enrollments e ON e.app_id = a.id AND e.user_id = $2
    WHERE a.id = $1`,
};

const HOLD: Statement = {
  name: 'enrollment.hold_entry',
  text: 'SELECT 1 FROM enrollments WHERE user_id = $1 AND app_id = $2 FOR NO KEY UPDATE',
};

/** Read at every sign-in and every administrative request, in one statement and never from a cache. */
@Injectable()
export class EntriesRepository {
  constructor(private readonly statements: Statements) {}

  /**
   * Locks the rows until the transaction ends. Must be called after the user's proof was locked: always in this order.
   */
  async hold(tx: EntityManager, userId: string, appId: string): Promise<void> {
    await this.statements.run(HOLD, [userId, appId], tx);
  }

  async find(userId: string, appId: string, tx?: EntityManager): Promise<Entry> {
    const [row] = await this.statements.run<Row>(ENTRY, [appId, userId], tx);
    const enrollment = row?.status && row.roles ? { status: row.status, roles: row.roles } : null;
    return {
      enrollment,
      appIsOn: row?.app_is_on ?? false,
      tenantIsOn: row?.tenant_is_on ?? false,
      emailMissing: row?.email_missing ?? false,
      isOutsider: row?.is_outsider ?? false,
    };
  }
}
