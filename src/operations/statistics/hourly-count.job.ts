import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Clock } from '../../common/clock.js';
import { discover } from '../../common/discovered.js';
import { DailyMeasure } from '../../common/statistics/daily-measure.js';
import { Transactions } from '../../database/transactions.js';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { hourAfter, hoursToCount, lastHours } from './hours.rules.js';
import { StatisticsRepository } from './statistics.repository.js';

/** What a chart of 24 hours is drawn from: those, the 24 before for the comparison, and the present one. */
const HOURS_COUNTED = 49;
const HOURS_KEPT = 72;

/** Keeps the numbers of the last hours, as `DailyCount` does those of days. */
@Injectable()
export class HourlyCount extends PeriodicJob {
  override readonly name = 'hourly-count';
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
    const now = this.clock.now();
    const hours = hoursToCount(await this.statistics.lastCountedHour(), now, HOURS_COUNTED);
    for (const hour of hours) for (const measure of measures) await this.count(hour, measure);
    await this.transactions.run((tx) => this.statistics.removeHours(tx, lastHours(now, HOURS_KEPT)[0]!));
  }

  private async count(hour: string, measure: DailyMeasure): Promise<void> {
    await this.transactions.run(async (tx) => {
      const counts = await measure.count(tx, new Date(hour), hourAfter(hour));
      await this.statistics.saveHour(tx, hour, measure.measure, counts);
    });
  }
}
