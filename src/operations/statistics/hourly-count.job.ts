import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Transactions } from '../../database/transactions.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { bucketOf, lastBuckets, periodsToCount } from './buckets.rules.js';
import { MeasureCount } from './measure-count.js';
import { StatisticsRepository } from './statistics.repository.js';

/** For a chart of 24 hours: those hours, the 24 before for the comparison, and the current one. */
const HOURS_COUNTED = 49;
const HOURS_KEPT = 72;

/** Maintains the numbers of the last hours, as `DailyCount` does for days. */
@Injectable()
export class HourlyCount extends PeriodicJob {
  override readonly name = 'hourly-count';
  override readonly everySeconds = 300;
  override readonly isLong = true;

  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly measures: MeasureCount,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const now = this.clock.now();
    await this.transactions.run((tx) => this.statistics.removeHours(tx, lastBuckets('hour', now, HOURS_KEPT)[0]!));
    await this.measures.count(
      'hour',
      async (measure) => periodsToCount('hour', await this.statistics.lastCounted('hour', measure), now, HOURS_COUNTED),
      (tx, { from }, measure, counts) => this.statistics.save(tx, 'hour', bucketOf('hour', from), measure, counts),
    );
  }
}
