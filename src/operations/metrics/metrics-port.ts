import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { createMetricsServer } from './metrics-server.js';
import { MetricsService } from './metrics.service.js';

/**
 * METRICS_PORT, from the start of the process to its end. The processes of WEB_CONCURRENCY share the port of their
 * primary and only send it their metrics.
 */
@Injectable()
export class MetricsPort implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsPort.name);
  private server: Server | null = null;

  constructor(
    private readonly metrics: MetricsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Error if the port is in use */
  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, host } = this.settings;
    if (metricsPort === null || cluster.isWorker) return;
    this.server = createMetricsServer(this.settings, () => this.metrics.read()).listen(metricsPort, host);
    await once(this.server, 'listening');
    this.logger.log(`Metrics on ${host}:${metricsPort}`);
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
