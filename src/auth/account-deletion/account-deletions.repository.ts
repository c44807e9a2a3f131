import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DELETION_BEGUN } from '../../users/deletion-begun.sql.js';
import type { OwnDeletionFacts } from './own-deletion.rules.js';

/**
 * Of an app's other admins, only those count whose own account will not be deleted, or later: of two who request
 * deletion, one is refused.
 */
const FACTS = `
  SELECT u.is_platform_admin OR coalesce(bool_or(a.is_console_app), false) AS "isOperator",
    NOT u.is_active OR coalesce(bool_or(e.status = 'suspended'), false) AS "isSuspended",
    count(*) FILTER (WHERE NOT t.allow_account_deletion AND NOT a.is_console_app AND e.status <> 'pending')::int AS refusing,
    coalesce(bool_or(e.status = 'active' AND 'admin' = ANY (e.roles) AND NOT EXISTS (
      SELECT FROM enrollments o JOIN users p ON p.id = o.user_id AND p.is_active
        AND (p.deletion_due_at IS NULL OR p.deletion_due_at > u.deletion_due_at)
      WHERE o.app_id = e.app_id AND o.user_id <> u.id AND o.status = 'active' AND 'admin' = ANY (o.roles))), false)
      AS "isLastAppAdmin"
  FROM users u LEFT JOIN enrollments e ON e.user_id = u.id LEFT JOIN apps a ON a.id = e.app_id
    LEFT JOIN tenants t ON t.id = a.tenant_id
  WHERE u.id = $1 GROUP BY u.id`;

/** In the order of `EnrollmentsRepository.lockAdmins`. */
const LOCK_FELLOW_ADMINS = `
  SELECT 1 FROM enrollments e
  WHERE e.status = 'active' AND 'admin' = ANY (e.roles) AND e.app_id IN (
    SELECT own.app_id FROM enrollments own
    WHERE own.user_id = $1 AND own.status = 'active' AND 'admin' = ANY (own.roles))
  ORDER BY e.app_id, e.user_id FOR UPDATE OF e`;

/** Not those of a Console app, where every membership is authority. */
const LOCK_MEMBERSHIPS = `
  SELECT e.app_id AS id, a.tenant_id AS "tenantId", e.status = 'suspended' AND NOT a.is_console_app AS "isKept"
  FROM enrollments e JOIN apps a ON a.id = e.app_id
  WHERE e.user_id = $1 ORDER BY e.app_id FOR UPDATE OF e`;

/** Suspended members, and those whose account is off, administer nothing. */
const APPS_OF_LAST_ADMIN = `
  SELECT e.app_id FROM enrollments e JOIN apps a ON a.id = e.app_id
  WHERE e.user_id = $1 AND e.status = 'active' AND (a.is_console_app OR 'admin' = ANY (e.roles)) AND NOT EXISTS (
    SELECT FROM enrollments o JOIN users p ON p.id = o.user_id AND p.is_active
    WHERE o.app_id = e.app_id AND o.user_id <> e.user_id AND o.status = 'active'
      AND (a.is_console_app OR 'admin' = ANY (o.roles)))`;

/** The waiting deletion of an account, stored in its row, so that deleting and cancelling run one after the other. */
@Injectable()
export class AccountDeletionsRepository {
  constructor(private readonly database: DataSource) {}

  async readFacts(userId: string, tx?: EntityManager): Promise<OwnDeletionFacts> {
    const rows = await (tx ?? this.database).query<OwnDeletionFacts[]>(FACTS, [userId]);
    return rows[0]!;
  }

  /** Until the transaction ends, no other admin can leave an app of which the user is an admin. */
  async lockFellowAdmins(tx: EntityManager, userId: string): Promise<void> {
    await tx.query(LOCK_FELLOW_ADMINS, [userId]);
  }

  /**
   * The apps, without Console apps, in which the user is suspended. Until the transaction ends, no other suspension of
   * the user can be added.
   */
  async lockSuspensions(tx: EntityManager, userId: string): Promise<{ id: string; tenantId: string }[]> {
    await this.lockFellowAdmins(tx, userId);
    const rows = await tx.query<{ id: string; tenantId: string; isKept: boolean }[]>(LOCK_MEMBERSHIPS, [userId]);
    return rows.filter(({ isKept }) => isKept);
  }

  /** Ids of the apps (including Console apps) that no one else administers. */
  async listAppsOfLastAdmin(tx: EntityManager, userId: string): Promise<string[]> {
    return (await tx.query<{ app_id: string }[]>(APPS_OF_LAST_ADMIN, [userId])).map(({ app_id }) => app_id);
  }

  /** @returns when it is due; null if one is already pending */
  async begin(tx: EntityManager, userId: string, days: number): Promise<Date | null> {
    const [rows] = (await tx.query(
      `UPDATE users SET deletion_due_at = now() + make_interval(days => $2), deletion_reminded_at = NULL, deletion_tried_at = NULL
       WHERE id = $1 AND deletion_due_at IS NULL RETURNING deletion_due_at`,
      [userId, days],
    )) as [{ deletion_due_at: Date }[], number];
    return rows[0]?.deletion_due_at ?? null;
  }

  /** @returns whether one was pending */
  async end(tx: EntityManager, userId: string): Promise<boolean> {
    const [, count] = (await tx.query(
      `UPDATE users SET deletion_due_at = NULL, deletion_reminded_at = NULL, deletion_tried_at = NULL
       WHERE id = $1 AND deletion_due_at IS NOT NULL`,
      [userId],
    )) as [unknown[], number];
    return count > 0;
  }

  /** Ids, the longest due first, without those that failed within the last hour: they must not delay the others. */
  listDue(limit: number): Promise<string[]> {
    return this.ids(`deletion_due_at <= now() AND NOT ${DELETION_BEGUN}`, [limit]);
  }

  /** The deletion begins to delete rows, or has failed. */
  async markTried(userId: string): Promise<void> {
    await this.database.query('UPDATE users SET deletion_tried_at = now() WHERE id = $1', [userId]);
  }

  /**
   * Must be called before the account is deleted: without its creator, an invite from before the column `made_by_user`, or
   * of an older process, would count as one of the app's server.
   */
  async markInvites(tx: EntityManager, userId: string): Promise<void> {
    await tx.query('UPDATE invites SET made_by_user = true WHERE created_by = $1 AND NOT made_by_user', [userId]);
  }

  listToRemind(hours: number, limit: number): Promise<string[]> {
    const condition = `deletion_reminded_at IS NULL AND deletion_due_at > now()
      AND deletion_due_at <= now() + make_interval(hours => $2)`;
    return this.ids(condition, [limit, hours]);
  }

  /** @returns when it is due; null if another worker was first, or the deletion was cancelled */
  async takeReminder(tx: EntityManager, userId: string): Promise<Date | null> {
    const [rows] = (await tx.query(
      `UPDATE users SET deletion_reminded_at = now()
       WHERE id = $1 AND deletion_reminded_at IS NULL AND deletion_due_at > now() RETURNING deletion_due_at`,
      [userId],
    )) as [{ deletion_due_at: Date }[], number];
    return rows[0]?.deletion_due_at ?? null;
  }

  /** The caller has locked the row. */
  async isDue(tx: EntityManager, userId: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT 1 FROM users WHERE id = $1 AND deletion_due_at <= now()', [userId]);
    return rows.length > 0;
  }

  private async ids(condition: string, values: number[]): Promise<string[]> {
    const text = `SELECT id FROM users u WHERE deletion_due_at IS NOT NULL AND ${condition} ORDER BY deletion_due_at LIMIT $1`;
    return (await this.database.query<{ id: string }[]>(text, values)).map(({ id }) => id);
  }
}
