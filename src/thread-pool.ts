import { availableParallelism } from 'node:os';

/** The default of libuv. */
const MAX_THREADS = 4;
/** libuv uses at most half of the threads for slow name lookups, so that one is left for signatures. */
const MIN_THREADS = 2;

/**
 * libuv's threads compute signatures. With more threads than cores, some of them sleep, and each signature wakes one up
 * and interrupts the running one: 8 % of the CPU time of a token on two cores (docs/decisions/0011). This works only
 * before the pool is first used, which Node 20 does before any code of the service runs.
 *
 * With ALLOW_PRIVATE_NETWORK_TARGETS, these threads also look up host names that tenants choose (`SystemNetwork`), and
 * lookups for PostgreSQL and Redis wait behind slow ones. Then there are four threads on any machine, two of them for
 * names.
 */
export function limitThreadPool(environment: NodeJS.ProcessEnv): void {
  const fewest = looksUpNamesOfTenants(environment) ? MAX_THREADS : MIN_THREADS;
  const threads = Math.min(MAX_THREADS, Math.max(fewest, availableParallelism()));
  environment['UV_THREADPOOL_SIZE'] ??= String(threads);
}

/** Read like the settings, but before them and without their validation. */
function looksUpNamesOfTenants(environment: NodeJS.ProcessEnv): boolean {
  const isEmbedded = !environment['DATABASE_URL'];
  return ['true', '1'].includes(environment['ALLOW_PRIVATE_NETWORK_TARGETS'] || String(isEmbedded));
}
