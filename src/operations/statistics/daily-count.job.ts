import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { bucketOf, periodsToCount } from './buckets.rules.js';
import { MeasureCount } from './measure-count.js';
import { StatisticsRepository } from './statistics.repository.js';

/** The longest period of a chart, in days. */
export const MAX_SPAN_DAYS = 90;

/**
 * Maintains the small table for the charts: counts the current day again every few minutes, using indexes, and each
 * completed day once more. No sign-in and no page counts anything.
 */
@Injectable()
export class DailyCount extends PeriodicJob {
  override readonly name = 'daily-count';
  override readonly everySeconds = 300;
  override readonly isLong = true;

  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly measures: MeasureCount,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(): Promise<void> {
    await this.measures.count(
      'day',
      async (measure) =>
        periodsToCount('day', await this.statistics.lastCounted('day', measure), this.clock.now(), MAX_SPAN_DAYS),
      (tx, { from }, measure, counts) => this.statistics.save(tx, 'day', bucketOf('day', from), measure, counts),
    );
  }
}
