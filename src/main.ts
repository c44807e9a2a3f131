import cluster from 'node:cluster';
import { runCluster } from './cluster.js';
import { EnvironmentFault, readEnvironment } from './config/env.js';
import { DataDirInUse } from './embedded/data-dir-in-use.js';
import { serve } from './serve.js';

try {
  const settings = readEnvironment(process.env);
  if (settings.webConcurrency > 1 && cluster.isPrimary) runCluster(settings.webConcurrency);
  else await serve(settings);
} catch (error) {
  const known = error instanceof EnvironmentFault || error instanceof DataDirInUse;
  process.stderr.write(`${known ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
