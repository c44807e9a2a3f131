import cluster, { type Worker } from 'node:cluster';
import type { Settings } from '../config/settings.js';
import { serveClusterMetrics } from '../operations/metrics/cluster-metrics.js';

const RESTART_PAUSE_MS = 1_000;

/**
 * Starts WEB_CONCURRENCY web workers on one port, and replaces one that dies. Passes signals on, and waits for all of
 * them to end.
 */
export function runCluster(settings: Settings): void {
  serveClusterMetrics(settings);
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
    if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGTERM'));
  let failed = false;
  cluster.on('exit', (worker: Worker, code: number, signal: string | null) => {
    // Not a failure: the worker was still starting when it received SIGTERM, and had no requests.
    failed ||= stopping && code !== 0 && signal !== 'SIGTERM';
    if (!stopping) setTimeout(() => !stopping && cluster.fork(), worker.isConnected() ? 0 : RESTART_PAUSE_MS);
    else if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(failed ? 1 : 0);
  });
  for (let started = 0; started < settings.webConcurrency; started++) cluster.fork();
}
