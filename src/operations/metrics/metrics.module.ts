import { Module } from '@nestjs/common';
import { Backlog } from './backlog.js';
import { BacklogRepository } from './backlog.repository.js';
import { MetricsPort } from './metrics-port.js';
import { MetricsService } from './metrics.service.js';

/** What Prometheus reads of a process, and the port of its own for that. Owns no table. */
@Module({ providers: [Backlog, BacklogRepository, MetricsPort, MetricsService], exports: [MetricsService] })
export class MetricsModule {}
