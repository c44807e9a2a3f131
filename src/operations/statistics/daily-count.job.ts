import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { dayAfter, daysToCount, startOf } from './days.rules.js';
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
    const days = daysToCount(await this.statistics.lastCounted(), this.clock.now(), MAX_SPAN_DAYS);
    for (const day of days) {
      const period = { unit: 'day', from: startOf(day), until: startOf(dayAfter(day)) } as const;
      await this.measures.count(period, (tx, measure, counts) => this.statistics.save(tx, day, measure, counts));
    }
  }
}
