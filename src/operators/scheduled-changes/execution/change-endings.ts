import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { Outbox } from '../../../delivery/outbox/outbox.service.js';
import { ResultAlreadyRecorded } from '../../../operations/tasks/task.errors.js';
import { contextOf } from '../planning/change-planners.js';
import type { ScheduledChange, ScheduledResult } from '../planning/scheduled-change.entity.js';
import { fieldsOf } from '../planning/scheduled-changes.service.js';
import { ScheduledChangesRepository } from '../planning/scheduled-changes.repository.js';

/**
 * Records the result of a due change: its row, its audit entry and the job that mails its planner, in one transaction.
 */
@Injectable()
export class ChangeEndings {
  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly outbox: Outbox,
  ) {}

  findDue(id: string) {
    return this.changes.findDue(id);
  }

  /**
   * Called in the transaction of the change. @throws ResultAlreadyRecorded if another worker was first, or the change was
   * cancelled
   */
  async executed(
    tx: EntityManager,
    ctx: RequestContext,
    change: ScheduledChange,
    predictionNow: Prediction,
  ): Promise<void> {
    if (!(await this.changes.settle(tx, change.id, { state: 'executed', result: null, predictionNow })))
      throw new ResultAlreadyRecorded();
    await this.record(tx, ctx, 'scheduled_change.executed', change, { prediction: predictionNow });
    await this.promiseMails(tx, change);
  }

  /** Does nothing if the change is no longer planned. */
  async fail(change: ScheduledChange, result: ScheduledResult): Promise<void> {
    await this.transactions.run(async (tx) => {
      if (!(await this.changes.settle(tx, change.id, { state: 'failed', result }))) return;
      await this.record(tx, contextOf(change), 'scheduled_change.failed', change, { ...result });
      await this.promiseMails(tx, change);
    });
  }

  private async promiseMails(tx: EntityManager, { id, tenantId }: ScheduledChange): Promise<void> {
    await this.outbox.add(tx, 'notices', 'scheduled_change.settled', { changeId: id }, { group: tenantId });
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: 'scheduled_change.executed' | 'scheduled_change.failed',
    change: ScheduledChange,
    more: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { id, tenantId, appId, plannedBy } = change;
    return this.audit.record(tx, ctx, action, {
      tenantId,
      appId,
      target: { type: 'scheduled_change', id },
      outcome: action === 'scheduled_change.failed' ? 'failure' : 'success',
      metadata: { fields: fieldsOf(change), planned_by: plannedBy, ...more },
    });
  }
}
