import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import type { Scope } from '../../../common/actor.js';
import { purgeInBatches } from '../../../database/purge-in-batches.js';
import { Statements } from '../../../database/statements.js';
import type { Proof } from '../../../users/proof.js';
import { ProofGuard } from '../../../users/proof-guard.js';
import { LATEST_HOURS, MAX_PLANNED_PER_TENANT, MAX_PLANNED_PER_TARGET } from './schedulable.rules.js';
import { ScheduledChange, type ScheduledResult, type ScheduledState } from './scheduled-change.entity.js';

/** Fields of a new change. */
export type NewScheduledChange = Pick<
  ScheduledChange,
  | 'id'
  | 'tenantId'
  | 'appId'
  | 'change'
  | 'effectiveAt'
  | 'credential'
  | 'plannedBy'
  | 'plannedByApp'
  | 'audience'
  | 'amr'
  | 'tokenIssuedAt'
  | 'confirmed'
  | 'locksPlannerOut'
  | 'locksAdminsOut'
  | 'settingsThen'
  | 'predictionThen'
>;

/** Filters of the list. */
export interface ScheduledChangesFilter {
  readonly scope: Scope;
  readonly tenantId?: string;
  readonly appId?: string;
  readonly state?: ScheduledState;
  /** True: without changes of tenants. */
  readonly ofAppsOnly: boolean;
}

export interface DueChange {
  readonly id: string;
  readonly tenantId: string;
}

export interface Settlement {
  readonly state: Exclude<ScheduledState, 'planned'>;
  readonly result: ScheduledResult | null;
  readonly predictionNow?: Prediction | null;
}

const KEPT = '366 days';

/** Writes `scheduled_changes`, except for the times of notices: see `ScheduledNoticesRepository`. */
@Injectable()
export class ScheduledChangesRepository {
  constructor(
    @InjectRepository(ScheduledChange) private readonly changes: Repository<ScheduledChange>,
    private readonly proofs: ProofGuard,
    private readonly statements: Statements,
  ) {}

  /**
   * Inserts of one tenant run one after the other, for the limit.
   * @param isOfTenant see `ChangeTarget`
   * @param proof the planner's proof when the request was admitted. If they were signed out from another device in the
   * meantime, no row is written
   * @returns false if the limit is reached
   * @throws ProofOutdated
   */
  async insert(tx: EntityManager, row: NewScheduledChange, isOfTenant: boolean, proof: Proof | null): Promise<boolean> {
    if (proof) await this.proofs.hold(tx, proof);
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`scheduled changes ${row.tenantId}`]);
    const planned = { tenantId: row.tenantId, state: 'planned' } as const;
    const ofOne = await tx.countBy(ScheduledChange, { ...planned, appId: row.appId ?? IsNull() });
    if (ofOne >= MAX_PLANNED_PER_TARGET) return false;
    if (!isOfTenant && (await this.countOfApps(tx, row.tenantId)) >= MAX_PLANNED_PER_TENANT) return false;
    await tx.insert(ScheduledChange, row as QueryDeepPartialEntity<ScheduledChange>);
    return true;
  }

  /** Number of planned changes of the tenant's apps, without its Console app. */
  private async countOfApps(tx: EntityManager, tenantId: string): Promise<number> {
    const [row] = await tx.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM scheduled_changes c JOIN apps a ON a.id = c.app_id AND NOT a.is_console_app
       WHERE c.tenant_id = $1 AND c.state = 'planned'`,
      [tenantId],
    );
    return row.count;
  }

  find(id: string): Promise<ScheduledChange | null> {
    return this.changes.findOneBy({ id });
  }

  /**
   * Planned changes first, by the time at which they take effect, then those that have ended, latest first. @param page
   * from 1
   */
  list({ scope, tenantId, appId, state, ofAppsOnly }: ScheduledChangesFilter, page: number, limit: number) {
    const query = this.changes.createQueryBuilder('c').where('true');
    if (!scope.everything)
      query.andWhere('(c.tenant_id = ANY(:tenantIds) OR c.app_id = ANY(:appIds))', {
        tenantIds: scope.tenantIds,
        appIds: scope.appIds,
      });
    if (ofAppsOnly) query.andWhere('c.app_id IS NOT NULL');
    if (tenantId) query.andWhere('c.tenant_id = :tenantId', { tenantId });
    if (appId) query.andWhere('c.app_id = :appId', { appId });
    if (state) query.andWhere('c.state = :state', { state });
    return query
      .orderBy('c.settledAt', 'DESC', 'NULLS FIRST')
      .addOrderBy('c.effectiveAt', 'ASC')
      .addOrderBy('c.id')
      .take(limit)
      .skip((page - 1) * limit)
      .getManyAndCount();
  }

  /**
   * Due changes: the longest due of each tenant, then the second of each, and so on, so that the changes of one tenant
   * do not hide others.
   * @param except ids of changes that wait for a retry
   */
  listDue(limit: number, except: readonly string[]): Promise<DueChange[]> {
    return this.changes.query<DueChange[]>(
      `SELECT id, tenant_id AS "tenantId" FROM scheduled_changes
       WHERE state = 'planned' AND effective_at <= now() AND id <> ALL ($2::uuid[])
       ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY effective_at, id), effective_at LIMIT $1`,
      [limit, except],
    );
  }

  /** Null unless the change is still planned and due. */
  async findDue(id: string): Promise<(ScheduledChange & { readonly isLate: boolean }) | null> {
    const [found] = await this.changes.query<{ late: boolean }[]>(
      `SELECT effective_at < now() - make_interval(hours => $2) AS late FROM scheduled_changes
       WHERE id = $1 AND state = 'planned' AND effective_at <= now()`,
      [id, LATEST_HOURS],
    );
    const row = found && (await this.find(id));
    return row ? { ...row, isLate: found.late } : null;
  }

  /**
   * Records the end of the change. Of concurrent attempts by workers and by an operator who cancels it, the database
   * lets one succeed. @returns whether this one did
   */
  async settle(tx: EntityManager, id: string, { state, result, predictionNow = null }: Settlement): Promise<boolean> {
    const [, count] = (await tx.query(
      `UPDATE scheduled_changes SET state = $2, result = $3, prediction_now = $4, settled_at = now()
       WHERE id = $1 AND state = 'planned'`,
      [id, state, result && JSON.stringify(result), predictionNow && JSON.stringify(predictionNow)],
    )) as [unknown[], number];
    return count > 0;
  }

  /** Leaves changes whose mails are still recorded: one change may have millions, which would be deleted with it. */
  purge(): Promise<void> {
    const where = 'NOT EXISTS (SELECT FROM scheduled_change_notices n WHERE n.change_id = scheduled_changes.id)';
    return purgeInBatches(this.statements, { table: 'scheduled_changes', column: 'settled_at', age: KEPT, where });
  }
}
