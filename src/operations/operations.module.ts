import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ConnectionDrain } from '../common/http/express/connection-drain.js';
import { ConnectionBounds } from './connection-bounds.js';
import { DatabaseHealth } from './database-health.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { ReadinessService } from './readiness.service.js';

/** Health and metrics, for load balancers and Prometheus. Owns no table. */
@Module({
  imports: [MetricsModule, TerminusModule.forRoot({ logger: false, gracefulShutdownTimeoutMs: 0 })],
  controllers: [HealthController, MetricsController],
  providers: [DatabaseHealth, ReadinessService, ConnectionBounds, ConnectionDrain],
  exports: [ReadinessService, ConnectionDrain],
})
export class OperationsModule {}
