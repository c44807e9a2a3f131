import { Module } from '@nestjs/common';
import { Backlog } from './backlog.js';
import { BacklogRepository } from './backlog.repository.js';
import { MetricsPort } from './metrics-port.js';
import { MetricsService } from './metrics.service.js';

/** Metrics of a process for Prometheus, and the separate port for them. Owns no table. */
@Module({ providers: [Backlog, BacklogRepository, MetricsPort, MetricsService], exports: [MetricsService] })
export class MetricsModule {}
