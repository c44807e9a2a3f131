import { AggregatorRegistry } from 'prom-client';
import type { Settings } from '../../config/settings.js';
import { createMetricsServer } from './metrics-server.js';

/** In the primary of WEB_CONCURRENCY: METRICS_PORT answers for all of its processes together. It ends with the process. */
export function serveClusterMetrics(settings: Settings): void {
  if (settings.metricsPort === null) return;
  const registry = new AggregatorRegistry();
  createMetricsServer(settings, () => registry.clusterMetrics()).listen(settings.metricsPort, settings.host);
}

/** In a process of WEB_CONCURRENCY, before anything else: the primary waits for the numbers of those that are starting too. */
export function joinClusterMetrics(settings: Settings): void {
  if (settings.metricsPort !== null) new AggregatorRegistry();
}
