import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ChangeComparison } from '../../apps/comparisons/change-comparison.entity.js';
import { ChangeComparisons, type ComparisonStep } from '../../apps/comparisons/change-comparisons.service.js';
import { Transactions } from '../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { ChangeEffectList } from './change-effect-list.js';
import { ChangeOutcome } from './change-outcome.js';
import { ComparisonUsersRepository } from './comparison-users.repository.js';

const DAY_MS = 86_400_000;

type Work = Exclude<ComparisonStep, 'forget'>;

/** The next step, and its time in milliseconds after the change. */
const NEXT: Readonly<Record<Work, { readonly step: ComparisonStep; readonly dueMs: number }>> = {
  write_down: { step: 'after_day', dueMs: DAY_MS },
  after_day: { step: 'after_week', dueMs: 7 * DAY_MS },
  after_week: { step: 'forget', dueMs: 0 },
};

/**
 * Runs one step of a comparison, and queues the next one in the transaction that marks the job as done, so that of two
 * workers only one writes. If the comparison has ended because a setting was changed again, only its users and the
 * changed settings are deleted; one without affected users is deleted.
 */
@Injectable()
export class CompareChangeHandler extends JobHandler<'change.compare'> {
  override readonly job = 'change.compare';

  constructor(
    private readonly comparisons: ChangeComparisons,
    private readonly list: ChangeEffectList,
    private readonly outcome: ChangeOutcome,
    private readonly users: ComparisonUsersRepository,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  override async handle({ change, step }: Jobs['change.compare'], meta: JobMeta): Promise<void> {
    const comparison = await this.comparisons.find(change);
    // Deleted with its app or tenant.
    if (!comparison) return;
    const { tenantId } = comparison;
    if (step === 'forget') {
      await this.users.deleteAll(change);
      return this.comparisons.forget(change);
    }
    const hasEnded = comparison.changedAgainAt !== null;
    const write = hasEnded ? null : await this.work(comparison, step);
    await this.transactions.run(async (tx) => {
      if (!(await meta.finish(tx))) return;
      if (write && !(await write(tx))) return;
      const next = write ? NEXT[step] : NEXT.after_week;
      const dueAt = new Date(comparison.changedAt.getTime() + next.dueMs);
      await this.comparisons.order(tx, { change, tenantId }, next.step, next.dueMs === 0 ? undefined : dueAt);
    });
  }

  /**
   * After a step has failed for good, queues the deletion of the list of users. If the deletion itself failed, it is
   * retried a day later.
   */
  override async gaveUp({ change, step }: Jobs['change.compare'], { now }: JobMeta): Promise<void> {
    const dueAt = step === 'forget' ? new Date(now.getTime() + DAY_MS) : undefined;
    const tenantId = (await this.comparisons.find(change))?.tenantId ?? null;
    await this.transactions.run((tx) => this.comparisons.order(tx, { change, tenantId }, 'forget', dueAt));
  }

  /**
   * The slow part, before the transaction.
   * @returns a function that writes the result and returns whether the comparison continues; null: it has ended
   */
  private async work(
    comparison: ChangeComparison,
    step: Work,
  ): Promise<((tx: EntityManager) => Promise<boolean>) | null> {
    const { auditEntryId: id } = comparison;
    if (step === 'write_down') {
      const found = await this.list.write(comparison, () => this.comparisons.hasEnded(id));
      return found && ((tx) => this.comparisons.setFound(tx, comparison, found));
    }
    const result = await this.outcome.read(comparison);
    return async (tx) => {
      await this.comparisons.setResult(tx, id, step === 'after_day' ? { afterDay: result } : { afterWeek: result });
      return true;
    };
  }
}
