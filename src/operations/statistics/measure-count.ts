import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { discover } from '../../common/discovered.js';
import { DailyMeasure, type Measure, type ScopedCount } from '../../common/statistics/daily-measure.js';
import { allowLongStatements } from '../../database/connection/long-statements.js';
import { Transactions } from '../../database/transactions.js';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import type { CountedPeriod, Unit } from './buckets.rules.js';

/** A busy day may take longer than the five seconds of a request. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** @returns the periods in which the measure must be counted, oldest first */
export type FindPeriods = (measure: Measure) => Promise<readonly CountedPeriod[]>;

export type SaveCounts = (
  tx: EntityManager,
  period: CountedPeriod,
  measure: Measure,
  counts: readonly ScopedCount[],
) => Promise<void>;

/** Counts all measures in their periods, each in its own transaction. */
@Injectable()
export class MeasureCount {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * A measure that fails does not stop the others. Its later periods are left out, so that the next run begins with the
   * one that failed.
   * @throws Error at the end, if any failed
   */
  async count(unit: Unit, find: FindPeriods, save: SaveCounts): Promise<void> {
    const failures: string[] = [];
    for (const measure of discover(this.discovery, DailyMeasure)) {
      if (unit === 'hour' && !measure.hasHours) continue;
      try {
        for (const period of await find(measure.measure)) await this.countOne(measure, period, save);
      } catch (error) {
        failures.push(`${measure.measure}: ${failureReason(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(`Measures that could not be counted: ${failures.join('; ')}`);
  }

  private async countOne(measure: DailyMeasure, period: CountedPeriod, save: SaveCounts): Promise<void> {
    await this.transactions.run(async (tx) => {
      await allowLongStatements(tx.queryRunner!, STATEMENT_TIMEOUT_MS);
      await save(tx, period, measure.measure, await measure.count(tx, period.from, period.until));
    });
  }
}
