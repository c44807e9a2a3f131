import cluster from 'node:cluster';
import { runCluster } from './cluster.js';
import { EnvironmentFault, readEnvironment } from '../config/env.js';
import { DataDirInUse } from '../embedded/data-dir-in-use.js';
import { joinClusterMetrics } from '../operations/metrics/cluster-metrics.js';

/** The web process, or with WEB_CONCURRENCY above one the primary of several. Ends the process with 1 where it cannot start. */
export async function runWeb(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const settings = readEnvironment(environment);
    if (settings.webConcurrency > 1 && cluster.isPrimary) return runCluster(settings);
    if (cluster.isWorker) joinClusterMetrics(settings);
    const { serve } = await import('./serve.js'); // a primary serves nothing and does without
    await serve(settings);
  } catch (error) {
    const known = error instanceof EnvironmentFault || error instanceof DataDirInUse;
    process.stderr.write(`${known ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  }
}
