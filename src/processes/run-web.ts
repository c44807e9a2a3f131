import cluster from 'node:cluster';
import { runCluster } from './cluster.js';
import { EnvironmentFault, readEnvironment } from '../config/env.js';
import { DataDirInUse } from '../embedded/data-dir-in-use.js';
import { joinClusterMetrics } from '../operations/metrics/cluster-metrics.js';

/**
 * The web process, or the primary of several if WEB_CONCURRENCY is above one. Ends the process with 1 if it cannot
 * start.
 */
export async function runWeb(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const settings = readEnvironment(environment);
    if (settings.webConcurrency > 1 && cluster.isPrimary) return runCluster(settings);
    if (cluster.isWorker) joinClusterMetrics(settings);
    const { serve } = await import('./serve.js'); // not loaded by a primary, which serves no requests
    await serve(settings);
  } catch (error) {
    const known = error instanceof EnvironmentFault || error instanceof DataDirInUse;
    process.stderr.write(`${known ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  }
}
