import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { canAdministerPlatform } from '../common/actor.js';
import type { RequestContext } from '../common/request-context.js';
import { Outbox } from '../delivery/outbox.service.js';
import type { ChangeComparison, ComparisonResult, Prediction } from './change-comparison.entity.js';
import { ChangeComparisonsRepository } from './change-comparisons.repository.js';
import type { ChangedSides } from './changed-sides.rules.js';

/** What comes next of a comparison: write the users down, compare, compare again, delete the list of users. */
export type ComparisonStep = 'write_down' | 'after_day' | 'after_week' | 'forget';

declare module '../delivery/jobs.js' {
  interface Jobs {
    'change.compare': { change: string; step: ComparisonStep };
  }
}

/** Changes whose effect on users was predicted: they are compared with what has become of the users (docs/decisions/0084). */
@Injectable()
export class ChangeComparisons {
  constructor(
    private readonly comparisons: ChangeComparisonsRepository,
    private readonly outbox: Outbox,
  ) {}

  /** In the transaction of the change, after it. @param id of its audit entry */
  async begin(
    tx: EntityManager,
    { actor }: RequestContext,
    id: string,
    sides: ChangedSides,
    prediction: Prediction,
  ): Promise<void> {
    if (Object.keys(prediction).length === 0) return;
    await this.comparisons.insert(tx, id, { ...sides, prediction, knowsAll: canAdministerPlatform(actor) });
    await this.order(tx, { change: id, tenantId: sides.tenantId }, 'write_down');
  }

  /** @param availableAt absent: now */
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

  /** By the id of the entry; few have one. */
  async ofEntries(
    entries: readonly { readonly id: string; readonly metadata: Readonly<Record<string, unknown>> }[],
  ): Promise<ReadonlyMap<string, ChangeComparison>> {
    const ids = entries.filter(({ metadata }) => 'prediction' in metadata).map(({ id }) => id);
    return new Map((await this.comparisons.list(ids)).map((each) => [each.auditEntryId, each]));
  }

  /** The newest one of these days; null: none. @param appId null: of the tenant itself */
  findLatest(tenantId: string, appId: string | null, days: number): Promise<ChangeComparison | null> {
    return this.comparisons.findLatest(tenantId, appId, days);
  }

  /** The users are written down. */
  setFound(tx: EntityManager, id: string, found: Prediction): Promise<void> {
    return this.comparisons.setFound(tx, id, found);
  }

  setResult(
    tx: EntityManager,
    id: string,
    result: { readonly afterDay: ComparisonResult } | { readonly afterWeek: ComparisonResult },
  ): Promise<void> {
    return this.comparisons.setResult(tx, id, result);
  }
}
