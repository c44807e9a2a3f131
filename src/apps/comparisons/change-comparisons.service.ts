import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import type { ChangeComparison, ComparisonResult, Prediction } from './change-comparison.entity.js';
import { ChangeComparisonsRepository, type ListedComparison } from './change-comparisons.repository.js';
import type { ChangedSides } from './changed-sides.rules.js';

/** Steps of a comparison: store the affected users, compare after a day and after a week, delete the stored users. */
export type ComparisonStep = 'write_down' | 'after_day' | 'after_week' | 'forget';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    'change.compare': { change: string; step: ComparisonStep };
  }
}

/**
 * Time after the change until its affected users are stored. If a setting is changed back and forth, only the last
 * change costs a walk over the members.
 */
const SETTLED_MS = 60_000;

/** Changes whose effect on users was predicted, and is compared with the actual outcome (docs/decisions/0084). */
@Injectable()
export class ChangeComparisons {
  constructor(
    private readonly comparisons: ChangeComparisonsRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Called in the transaction of the change, after it.
   * @param id of the audit entry of the change
   * @param prediction absent: there was no preview, as for most API callers. Then the users who are found soon after
   * the change are used instead
   */
  async begin(tx: EntityManager, id: string, sides: ChangedSides, prediction: Prediction | undefined): Promise<void> {
    const isEmpty = prediction && Object.keys(prediction).length === 0;
    if (isEmpty || sides.settings.length === 0) return;
    await this.comparisons.insert(tx, id, { ...sides, prediction: prediction ?? {} });
    const settledAt = new Date(this.clock.now().getTime() + SETTLED_MS);
    await this.order(tx, { change: id, tenantId: sides.tenantId }, 'write_down', settledAt);
  }

  /** @param availableAt absent: at once */
  async order(
    tx: EntityManager,
    { change, tenantId }: { readonly change: string; readonly tenantId: string | null },
    step: ComparisonStep,
    availableAt?: Date,
  ): Promise<void> {
    const options = { group: tenantId, ...(availableAt ? { availableAt } : {}) };
    await this.outbox.add(tx, 'tasks', 'change.compare', { change, step }, options);
  }

  find(id: string): Promise<ChangeComparison | null> {
    return this.comparisons.find(id);
  }

  /** True if a setting was changed again, or the app or tenant is deleted. */
  async hasEnded(id: string): Promise<boolean> {
    const comparison = await this.comparisons.find(id);
    return comparison === null || comparison.changedAgainAt !== null;
  }

  /**
   * By the id of the entry; few entries have one. Of a change without a prediction, this is known only after its affected
   * users are stored.
   */
  async ofEntries(entries: readonly { readonly id: string }[]): Promise<ReadonlyMap<string, ListedComparison>> {
    const found = await this.comparisons.list(entries.map(({ id }) => id));
    return new Map(found.map((each) => [each.auditEntryId, each]));
  }

  /** The newest comparison of the last `days` days; null: none. @param appId null: of the tenant itself */
  findLatest(tenantId: string, appId: string | null, days: number): Promise<ChangeComparison | null> {
    return this.comparisons.findLatest(tenantId, appId, days);
  }

  /**
   * Called when the affected users are stored. @returns false if no user was predicted or found, which ends the
   * comparison
   */
  async setFound(tx: EntityManager, { auditEntryId: id, prediction }: ChangeComparison, found: Prediction) {
    const isPredicted = Object.keys(prediction).length > 0;
    if (!isPredicted && Object.keys(found).length === 0) {
      await this.comparisons.delete(tx, id);
      return false;
    }
    await this.comparisons.setFound(tx, id, { found, prediction: isPredicted ? prediction : found });
    return true;
  }

  /** Deletes what an ended comparison no longer needs, and all of one whose affected users were never predicted or stored. */
  forget(id: string): Promise<void> {
    return this.comparisons.forget(id);
  }

  setResult(
    tx: EntityManager,
    id: string,
    result: { readonly afterDay: ComparisonResult } | { readonly afterWeek: ComparisonResult },
  ): Promise<void> {
    return this.comparisons.setResult(tx, id, result);
  }
}
