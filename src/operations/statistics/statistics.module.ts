import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { DailyCount } from './daily-count.job.js';
import { DailyStatistic } from './daily-statistic.entity.js';
import { HourlyCount } from './hourly-count.job.js';
import { HourlyStatistic } from './hourly-statistic.entity.js';
import { MeasureCount } from './measure-count.js';
import { StatisticsRepository } from './statistics.repository.js';
import { StatisticsService } from './statistics.service.js';

/** Owns the daily and hourly numbers for the charts. The modules that own the counted tables provide the measures. */
@Module({
  imports: [AppsModule, DiscoveryModule, TypeOrmModule.forFeature([DailyStatistic, HourlyStatistic])],
  providers: [StatisticsService, StatisticsRepository, MeasureCount, DailyCount, HourlyCount],
  exports: [StatisticsService],
})
export class StatisticsModule {}
