import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsSelect, In, IsNull, Not, Raw, Repository } from 'typeorm';
import { ChangeComparison, type ComparisonResult, type Prediction } from './change-comparison.entity.js';
import type { ChangedSides } from './changed-sides.rules.js';

/** What lists show of a comparison. */
export type ListedComparison = Pick<ChangeComparison, keyof typeof LISTED>;

const LISTED = {
  auditEntryId: true,
  prediction: true,
  found: true,
  afterDay: true,
  afterWeek: true,
  changedAgainAt: true,
} as const;

interface NewComparison extends ChangedSides {
  readonly prediction: Prediction;
}

/** Writes `change_comparisons`. */
@Injectable()
export class ChangeComparisonsRepository {
  constructor(@InjectRepository(ChangeComparison) private readonly repository: Repository<ChangeComparison>) {}

  async insert(tx: EntityManager, auditEntryId: string, row: NewComparison): Promise<void> {
    const { tenantId, appId, prediction, settings, before, after } = row;
    const sides = { before, after };
    const knowsAll = false;
    await tx
      .getRepository(ChangeComparison)
      .insert({ auditEntryId, tenantId, appId, prediction, knowsAll, settings: [...settings], sides: sides as object });
  }

  find(auditEntryId: string): Promise<ChangeComparison | null> {
    return this.repository.findOneBy({ auditEntryId });
  }

  /** Those whose affected users are predicted or stored, without `sides`, which can be large. */
  async list(ids: readonly string[]): Promise<ListedComparison[]> {
    const prediction = Raw((column) => `${column} <> '{}'`);
    if (ids.length === 0) return [];
    return this.repository.find({
      where: { auditEntryId: In(ids), prediction },
      select: LISTED as FindOptionsSelect<ChangeComparison>,
    });
  }

  findLatest(tenantId: string, appId: string | null, days: number): Promise<ChangeComparison | null> {
    const changedAt = Raw((column) => `${column} > now() - make_interval(days => :days)`, { days });
    // A change without a preview gets its prediction soon after it is made; until then it is empty.
    const prediction = Raw((column) => `${column} <> '{}'`);
    const where = { tenantId, appId: appId ?? IsNull(), changedAt, prediction };
    return this.repository.findOne({ where, order: { changedAt: 'DESC' } });
  }

  /** Called when the affected users are stored. The changed settings are then no longer needed. */
  async setFound(
    tx: EntityManager,
    auditEntryId: string,
    counts: { readonly found: Prediction; readonly prediction: Prediction },
  ): Promise<void> {
    await tx.getRepository(ChangeComparison).update({ auditEntryId }, { ...(counts as object), sides: null });
  }

  async delete(tx: EntityManager, auditEntryId: string): Promise<void> {
    await tx.getRepository(ChangeComparison).delete({ auditEntryId });
  }

  /** Without affected users a row is never listed; `sides` can be large. */
  async forget(auditEntryId: string): Promise<void> {
    const never = Raw((column) => `${column} = '{}'`);
    await this.repository.delete({ auditEntryId, prediction: never });
    await this.repository.update({ auditEntryId, sides: Not(IsNull()) }, { sides: null });
  }

  async setResult(
    tx: EntityManager,
    auditEntryId: string,
    result: { readonly afterDay: ComparisonResult } | { readonly afterWeek: ComparisonResult },
  ): Promise<void> {
    await tx.getRepository(ChangeComparison).update({ auditEntryId }, result as object);
  }
}
