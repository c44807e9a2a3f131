import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { IS_SIGNED_IN } from '../../apps/directory/client-use.sql.js';
import { ENDED_AT, ENDS_AT } from '../../users/issued-at.js';
import type { Scope } from '../../common/actor.js';
import { Enrollment, type EnrollmentStatus } from './enrollment.entity.js';

/** Most self-registered clients of one user in a tenant (docs/decisions/0080). */
const MAX_CLIENTS_PER_USER = 30;

export interface EnrollmentWithApp {
  readonly enrollment: Enrollment;
  readonly appName: string;
  readonly tenantId: string;
  readonly isConsoleApp: boolean;
}

/** Apps, and the Console of a tenant. */
export interface EnrollmentScope {
  readonly appIds: readonly string[];
  readonly tenantId: string;
  /** The app that the user was signed in to. */
  readonly audience: string;
}

/** Tokens of an earlier membership must not become valid again with a new one. */
const AFTER_REMOVAL = `coalesce(
  (SELECT ended_at FROM ended_enrollments WHERE user_id = :endedUser AND app_id = :endedApp), '-infinity')`;
const INSERT_ALL = `
  INSERT INTO enrollments (app_id, user_id, roles, status, tokens_valid_from)
  SELECT $1, given."userId", given.roles, given.status, coalesce(ended.ended_at, '-infinity')
  FROM json_to_recordset($2) AS given("userId" uuid, roles text[], status text)
  LEFT JOIN ended_enrollments ended ON ended.user_id = given."userId" AND ended.app_id = $1
  ON CONFLICT ON CONSTRAINT pk_enrollments DO NOTHING
  RETURNING user_id`;

@Injectable()
export class EnrollmentsRepository {
  constructor(@InjectRepository(Enrollment) private readonly repository: Repository<Enrollment>) {}

  find(userId: string, appId: string, tx?: EntityManager): Promise<Enrollment | null> {
    return (tx?.getRepository(Enrollment) ?? this.repository).findOneBy({ userId, appId });
  }

  /** Does not change an existing enrollment. @returns whether a row was inserted */
  async insert(
    tx: EntityManager,
    row: Pick<Enrollment, 'userId' | 'appId' | 'roles' | 'status'> & Partial<Pick<Enrollment, 'requestMessage'>>,
  ): Promise<boolean> {
    const result = await tx
      .createQueryBuilder()
      .insert()
      .into(Enrollment)
      .values({ ...row, tokensValidFrom: () => AFTER_REMOVAL })
      .setParameters({ endedUser: row.userId, endedApp: row.appId })
      .orIgnore()
      .returning(['userId'])
      .execute();
    return (result.raw as unknown[]).length > 0;
  }

  /** Locks the row until the transaction ends. */
  lock(tx: EntityManager, userId: string, appId: string): Promise<Enrollment | null> {
    return tx.getRepository(Enrollment).findOne({ where: { userId, appId }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Ids of the app's active admins whose accounts are switched on. Their rows are locked until the transaction ends, in
   * a fixed order, so that two admins who leave at the same time do so one after the other.
   */
  async lockAdmins(tx: EntityManager, appId: string): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }[]>(
      `SELECT e.user_id FROM enrollments e JOIN users u ON u.id = e.user_id AND u.is_active
       WHERE e.app_id = $1 AND e.status = 'active' AND 'admin' = ANY (e.roles) ORDER BY e.user_id FOR UPDATE OF e`,
      [appId],
    );
    return rows.map((row) => row.user_id);
  }

  /** The caller must have locked the row. */
  async activate(tx: EntityManager, userId: string, appId: string, roles: string[]): Promise<void> {
    await tx.update(Enrollment, { userId, appId }, { roles, status: 'active', updatedAt: () => 'now()' });
  }

  /** Inserts all in one statement. Existing enrollments are not changed. @returns ids of the users who were enrolled */
  async insertAll(
    tx: EntityManager,
    appId: string,
    rows: readonly Pick<Enrollment, 'userId' | 'roles' | 'status'>[],
  ): Promise<Set<string>> {
    const created = await tx.query<{ user_id: string }[]>(INSERT_ALL, [appId, JSON.stringify(rows)]);
    return new Set(created.map((row) => row.user_id));
  }

  /** @returns the previous roles, or null if there is no enrollment */
  async setRoles(tx: EntityManager, userId: string, appId: string, roles: string[]): Promise<string[] | null> {
    const before = await this.lock(tx, userId, appId);
    if (!before) return null;
    await tx.update(Enrollment, { userId, appId }, { roles, updatedAt: () => 'now()' });
    return before.roles;
  }

  /**
   * Changes the status if it is `from`. Leaving `suspended` also ends every token family that began before, because
   * until then the status itself refuses them.
   * @returns the roles; null: the status was not `from`
   */
  async move(
    tx: EntityManager,
    userId: string,
    appId: string,
    from: EnrollmentStatus,
    to: EnrollmentStatus,
  ): Promise<Pick<Enrollment, 'roles'> | null> {
    // The lock makes this wait for a running sign-in before the time is read; an UPDATE would read the time before it
    // waits.
    const held = await this.lock(tx, userId, appId);
    const result = await tx.update(
      Enrollment,
      { userId, appId, status: from },
      { status: to, updatedAt: () => 'now()', ...(from === 'suspended' ? { tokensValidFrom: () => ENDS_AT } : {}) },
    );
    return held && (result.affected ?? 0) > 0 ? { roles: held.roles } : null;
  }

  /**
   * @param status only remove an enrollment with this status
   * @returns the removed enrollment, or null if there was none
   */
  async remove(
    tx: EntityManager,
    userId: string,
    appId: string,
    status: EnrollmentStatus | null = null,
  ): Promise<Pick<Enrollment, 'roles' | 'status'> | null> {
    const [rows] = (await tx.query(
      `DELETE FROM enrollments WHERE user_id = $1 AND app_id = $2 AND ($3::text IS NULL OR status = $3)
       RETURNING roles, status`,
      [userId, appId, status],
    )) as [Pick<Enrollment, 'roles' | 'status'>[], number];
    if (!rows[0]) return null;
    await tx.query(
      `INSERT INTO ended_enrollments (user_id, app_id, ended_at) VALUES ($1, $2, ${ENDED_AT})
       ON CONFLICT (user_id, app_id) DO UPDATE SET ended_at = EXCLUDED.ended_at`,
      [userId, appId],
    );
    return rows[0];
  }

  async endTokens(tx: EntityManager, userId: string, appId: string): Promise<void> {
    // The time is read after a running sign-in has finished, as in `move`.
    await this.lock(tx, userId, appId);
    await tx.update(Enrollment, { userId, appId }, { tokensValidFrom: () => ENDS_AT, updatedAt: () => 'now()' });
  }

  /** As {@link endTokens}, for all users of these apps. */
  async endAllTokens(tx: EntityManager, appIds: readonly string[]): Promise<void> {
    const where = 'app_id = ANY($1::uuid[])';
    await tx.query(`SELECT 1 FROM enrollments WHERE ${where} ORDER BY app_id, user_id FOR UPDATE`, [appIds]);
    await tx.query(`UPDATE enrollments SET tokens_valid_from = ${ENDS_AT}, updated_at = now() WHERE ${where}`, [
      appIds,
    ]);
  }

  async touchLogin(tx: EntityManager, userId: string, appId: string): Promise<void> {
    await tx.query('UPDATE enrollments SET last_login_at = now() WHERE user_id = $1 AND app_id = $2', [userId, appId]);
  }

  /**
   * Self-registered clients of a tenant that the user leaves when joining another one, so that {@link
   * MAX_CLIENTS_PER_USER} remain. Clients whose sign-ins have ended are left first; then the one that the user signed in
   * to longest ago. A sign-in of the last minutes counts, because it may not have fetched its tokens yet.
   */
  async clientsToLeave(userId: string, tenantId: string, tx?: EntityManager): Promise<string[]> {
    const rows = await (tx ?? this.repository).query<{ app_id: string }[]>(
      `SELECT e.app_id FROM enrollments e JOIN apps a ON a.id = e.app_id
       WHERE e.user_id = $1 AND e.status = 'active' AND a.tenant_id = $2 AND a.origin <> 'operator'
       ORDER BY ${IS_SIGNED_IN} DESC, greatest(e.last_login_at, e.created_at) DESC, e.app_id OFFSET $3`,
      [userId, tenantId, MAX_CLIENTS_PER_USER - 1],
    );
    return rows.map((row) => row.app_id);
  }

  /** A user's enrollments within the scope, newest first. */
  async listOfUser(userId: string, scope: Scope, tx?: EntityManager): Promise<EnrollmentWithApp[]> {
    const { entities, raw } = await (tx?.getRepository(Enrollment) ?? this.repository)
      .createQueryBuilder('enrollment')
      .innerJoin(App, 'app', 'app.id = enrollment.appId')
      .addSelect(['app.name AS app_name', 'app.tenant_id AS app_tenant', 'app.is_console_app AS app_console'])
      .where('enrollment.userId = :userId', { userId })
      // In parentheses, because TypeORM concatenates conditions as plain text.
      .andWhere('(:everything OR app.tenant_id = ANY(:tenantIds) OR app.id = ANY(:appIds))', scope)
      .orderBy('enrollment.createdAt', 'DESC')
      .addOrderBy('enrollment.appId')
      .getRawAndEntities<{ app_name: string; app_tenant: string; app_console: boolean }>();
    return entities.map((enrollment, index) => ({
      enrollment,
      appName: raw[index]!.app_name,
      tenantId: raw[index]!.app_tenant,
      isConsoleApp: raw[index]!.app_console,
    }));
  }

  /**
   * Whether the user's tokens at one of these apps, or at the Console of this tenant, were ended after that time: by a
   * suspension that was over only then, by a removal before the present membership, or by the withdrawal of consent.
   * Also whether a sign-in to `audience` was ended after that time, see `EndedPlans`.
   */
  async wasEndedSince(
    userId: string,
    since: Date,
    { appIds, tenantId, audience }: EnrollmentScope,
    tx?: EntityManager,
  ): Promise<boolean> {
    const rows = await (tx ?? this.repository).query<unknown[]>(
      `SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
       WHERE e.user_id = $1 AND date_trunc('milliseconds', e.tokens_valid_from) > $2
         AND (a.id = ANY($3::uuid[]) OR (a.is_console_app AND a.tenant_id = $4))
       UNION ALL
       SELECT 1 FROM ended_plans WHERE user_id = $1 AND app_id = $5 AND ended_at > $2 LIMIT 1`,
      [userId, since, appIds, tenantId, audience],
    );
    return rows.length > 0;
  }

  /** Number of enrolled users per tenant. */
  async countUsersByTenant(tenantIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.repository
      .createQueryBuilder('enrollment')
      .select('enrollment.tenant_id', 'tenantId')
      .addSelect('count(DISTINCT enrollment.user_id)::int', 'users')
      .where('enrollment.tenant_id = ANY(:tenantIds)', { tenantIds })
      .groupBy('enrollment.tenant_id')
      .getRawMany<{ tenantId: string; users: number }>();
    return new Map(rows.map((row) => [row.tenantId, row.users]));
  }
}
