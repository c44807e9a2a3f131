import { AggregatorRegistry } from 'prom-client';
import type { Settings } from '../../config/settings.js';
import { createMetricsServer } from './metrics-server.js';

/**
 * For the primary process of WEB_CONCURRENCY: METRICS_PORT answers for all of its processes together, until the process
 * ends.
 */
export function serveClusterMetrics(settings: Settings): void {
  if (settings.metricsPort === null) return;
  const registry = new AggregatorRegistry();
  createMetricsServer(settings, () => registry.clusterMetrics()).listen(settings.metricsPort, settings.host);
}

/**
 * For a process of WEB_CONCURRENCY. Must run before anything else, because the primary also waits for the metrics of
 * processes that are starting.
 */
export function joinClusterMetrics(settings: Settings): void {
  if (settings.metricsPort !== null) new AggregatorRegistry();
}
