import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { DailyCount } from './daily-count.job.js';
import { DailyStatistic } from './daily-statistic.entity.js';
import { StatisticsRepository } from './statistics.repository.js';
import { StatisticsService } from './statistics.service.js';

/** Owns the numbers by day that charts are drawn from. What is counted comes from the modules that own the tables. */
@Module({
  imports: [AppsModule, DiscoveryModule, TypeOrmModule.forFeature([DailyStatistic])],
  providers: [StatisticsService, StatisticsRepository, DailyCount],
  exports: [StatisticsService, DailyCount],
})
export class StatisticsModule {}
