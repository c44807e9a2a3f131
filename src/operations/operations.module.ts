import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ConnectionDrain } from '../common/http/connection-drain.js';
import { DatabaseHealth } from './database-health.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsService } from './metrics.service.js';
import { ReadinessService } from './readiness.service.js';

/** Health and metrics, for load balancers and Prometheus. Owns no table. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false, gracefulShutdownTimeoutMs: 0 })],
  controllers: [HealthController, MetricsController],
  providers: [DatabaseHealth, ReadinessService, MetricsService, ConnectionDrain],
  exports: [ReadinessService, MetricsService, ConnectionDrain],
})
export class OperationsModule {}
