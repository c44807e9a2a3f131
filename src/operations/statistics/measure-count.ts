import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { discover } from '../../common/discovered.js';
import { DailyMeasure, type Measure, type ScopedCount } from '../../common/statistics/daily-measure.js';
import { allowLongStatements } from '../../database/connection/long-statements.js';
import { Transactions } from '../../database/transactions.js';

/** A busy day may take longer than the five seconds of a request. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** A day or an hour: start (inclusive) and end (exclusive). */
export interface CountedPeriod {
  readonly unit: 'day' | 'hour';
  readonly from: Date;
  readonly until: Date;
}

export type SaveCounts = (tx: EntityManager, measure: Measure, counts: readonly ScopedCount[]) => Promise<void>;

/** Counts all measures of a period, each in its own transaction. */
@Injectable()
export class MeasureCount {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly transactions: Transactions,
  ) {}

  async count({ unit, from, until }: CountedPeriod, save: SaveCounts): Promise<void> {
    for (const measure of discover(this.discovery, DailyMeasure)) {
      if (unit === 'hour' && !measure.hasHours) continue;
      await this.transactions.run(async (tx) => {
        await allowLongStatements(tx.queryRunner!, STATEMENT_TIMEOUT_MS);
        await save(tx, measure.measure, await measure.count(tx, from, until));
      });
    }
  }
}
