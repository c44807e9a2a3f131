import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Clock } from '../../common/clock.js';
import { discover } from '../../common/discovered.js';
import { DailyMeasure } from '../../common/statistics/daily-measure.js';
import { Transactions } from '../../database/transactions.js';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { dayAfter, daysToCount, startOf } from './days.rules.js';
import { StatisticsRepository } from './statistics.repository.js';

/** The longest period of a chart, in days. */
export const LONGEST_SPAN = 90;

/**
 * Keeps the small table that charts are drawn from: today is counted again every few minutes, by indexes, and a day that
 * is over once more. Nothing is counted in the way of a sign-in, and no page counts anything.
 */
@Injectable()
export class DailyCount extends PeriodicJob {
  override readonly name = 'daily-count';
  override readonly everySeconds = 300;

  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly discovery: DiscoveryService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const measures = discover(this.discovery, DailyMeasure);
    const days = daysToCount(await this.statistics.lastCounted(), this.clock.now(), LONGEST_SPAN);
    for (const day of days) for (const measure of measures) await this.count(day, measure);
  }

  private async count(day: string, measure: DailyMeasure): Promise<void> {
    await this.transactions.run(async (tx) => {
      // A busy day may take longer than a request may.
      await tx.query('SET LOCAL statement_timeout = 60000');
      const counts = await measure.count(tx, startOf(day), startOf(dayAfter(day)));
      await this.statistics.save(tx, day, measure.measure, counts);
    });
  }
}
