import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { App } from '../../apps/app/app.entity.js';
import { IS_SIGNED_IN } from '../../apps/directory/client-use.sql.js';
import { ENDED_AT, ENDS_AT } from '../../users/issued-at.js';
import type { Scope } from '../../common/actor.js';
import { Enrollment, type EnrollmentStatus } from './enrollment.entity.js';

export interface EnrollmentWithApp {
  readonly enrollment: Enrollment;
  readonly appName: string;
  readonly tenantId: string;
  readonly isConsoleApp: boolean;
}

/** Apps, and the Console of a tenant. */
export interface EnrollmentPlaces {
  readonly appIds: readonly string[];
  readonly tenantId: string;
  /** The app that the user was signed in to. */
  readonly audience: string;
}

/** An earlier membership's tokens do not come back with a new one. */
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

  /** Inserts, or leaves an enrollment that is there already as it is. @returns whether a row was made */
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

  /** Locked until the transaction ends. */
  lock(tx: EntityManager, userId: string, appId: string): Promise<Enrollment | null> {
    return tx.getRepository(Enrollment).findOne({ where: { userId, appId }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Ids of the app's active admins whose accounts are switched on. Their rows stay locked until the transaction ends, in
   * one order: two who leave at the same moment do so one after the other.
   */
  async lockAdmins(tx: EntityManager, appId: string): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }[]>(
      `SELECT e.user_id FROM enrollments e JOIN users u ON u.id = e.user_id AND u.is_active
       WHERE e.app_id = $1 AND e.status = 'active' AND 'admin' = ANY (e.roles) ORDER BY e.user_id FOR UPDATE OF e`,
      [appId],
    );
    return rows.map((row) => row.user_id);
  }

  /** For a row that the caller has locked. */
  async activate(tx: EntityManager, userId: string, appId: string, roles: string[]): Promise<void> {
    await tx.update(Enrollment, { userId, appId }, { roles, status: 'active', updatedAt: () => 'now()' });
  }

  /** One statement for all. Existing enrollments are not changed. @returns ids of the users enrolled now */
  async insertAll(
    tx: EntityManager,
    appId: string,
    rows: readonly Pick<Enrollment, 'userId' | 'roles' | 'status'>[],
  ): Promise<Set<string>> {
    const made = await tx.query<{ user_id: string }[]>(INSERT_ALL, [appId, JSON.stringify(rows)]);
    return new Set(made.map((row) => row.user_id));
  }

  /** @returns the roles before, or null where there is no enrollment */
  async setRoles(tx: EntityManager, userId: string, appId: string, roles: string[]): Promise<string[] | null> {
    const before = await this.lock(tx, userId, appId);
    if (!before) return null;
    await tx.update(Enrollment, { userId, appId }, { roles, updatedAt: () => 'now()' });
    return before.roles;
  }

  /**
   * One conditional step from one status to another. Leaving `suspended` also ends every token family begun before:
   * until then the status itself refuses them.
   * @returns whether the enrollment was in `from`
   */
  async move(
    tx: EntityManager,
    userId: string,
    appId: string,
    from: EnrollmentStatus,
    to: EnrollmentStatus,
  ): Promise<boolean> {
    // The clock is read after a sign-in under way is done: an UPDATE would read it before it waits.
    await this.lock(tx, userId, appId);
    const result = await tx.update(
      Enrollment,
      { userId, appId, status: from },
      { status: to, updatedAt: () => 'now()', ...(from === 'suspended' ? { tokensValidFrom: () => ENDS_AT } : {}) },
    );
    return (result.affected ?? 0) > 0;
  }

  /** @param status only an enrollment in this one. @returns what was removed, or null where there was nothing */
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
    // The clock is read after a sign-in under way is done, as in `move`.
    await this.lock(tx, userId, appId);
    await tx.update(Enrollment, { userId, appId }, { tokensValidFrom: () => ENDS_AT, updatedAt: () => 'now()' });
  }

  /** The same for all users of these apps. */
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
   * Clients of a tenant that have registered themselves and that the user has, without the first `keep`: those whose sign-ins have ended come
   * last, and of the others the one that the user signed in to longest ago. One of the last minutes may not have fetched its tokens yet.
   */
  async clientsBeyond(userId: string, tenantId: string, keep: number, tx?: EntityManager): Promise<string[]> {
    const rows = await (tx ?? this.repository).query<{ app_id: string }[]>(
      `SELECT e.app_id FROM enrollments e JOIN apps a ON a.id = e.app_id
       WHERE e.user_id = $1 AND e.status = 'active' AND a.tenant_id = $2 AND a.origin <> 'operator'
       ORDER BY ${IS_SIGNED_IN} DESC, greatest(e.last_login_at, e.created_at) DESC, e.app_id OFFSET $3`,
      [userId, tenantId, keep],
    );
    return rows.map((row) => row.app_id);
  }

  /** A user's enrollments that fall into the scope, newest first. */
  async listOfUser(userId: string, scope: Scope, tx?: EntityManager): Promise<EnrollmentWithApp[]> {
    const { entities, raw } = await (tx?.getRepository(Enrollment) ?? this.repository)
      .createQueryBuilder('enrollment')
      .innerJoin(App, 'app', 'app.id = enrollment.appId')
      .addSelect(['app.name AS app_name', 'app.tenant_id AS app_tenant', 'app.is_console_app AS app_console'])
      .where('enrollment.userId = :userId', { userId })
      // In parentheses: TypeORM joins conditions as plain text.
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

  /** Whether a suspension or removal of theirs at one of these apps, or at the Console of this tenant, was over after that time. */
  async wasEndedSince(userId: string, since: Date, { appIds, tenantId, audience }: EnrollmentPlaces): Promise<boolean> {
    const rows = await this.repository.query<unknown[]>(
      `SELECT 1 FROM enrollments e JOIN apps a ON a.id = e.app_id
       WHERE e.user_id = $1 AND date_trunc('milliseconds', e.tokens_valid_from) > $2
         AND (a.id = ANY($3::uuid[]) OR (a.is_console_app AND a.tenant_id = $4))
       UNION ALL
       SELECT 1 FROM ended_plans WHERE user_id = $1 AND app_id = $5 AND ended_at > $2 LIMIT 1`,
      [userId, since, appIds, tenantId, audience],
    );
    return rows.length > 0;
  }

  /** The enrollments of these users at one app, in no order. */
  listAt(appId: string, userIds: readonly string[]): Promise<Enrollment[]> {
    return this.repository
      .createQueryBuilder('enrollment')
      .where('enrollment.appId = :appId AND enrollment.userId = ANY(:userIds)', { appId, userIds })
      .getMany();
  }

  /** Enrolled users per tenant. */
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
