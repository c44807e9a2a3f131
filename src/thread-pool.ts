import { availableParallelism } from 'node:os';

/** What libuv takes by itself. */
const MOST_THREADS = 4;
/** libuv lets slow look-ups of names have half of the threads, so that one is left for signatures. */
const FEWEST_THREADS = 2;

/**
 * Signatures are made on the threads of libuv. With more threads than cores, some of them sleep, and each signature wakes one
 * up and interrupts the one that runs: 8 % of the CPU of a token on two cores (docs/decisions/0011). Has an effect only
 * before the pool is first used, which Node 20 does before our first line.
 *
 * With ALLOW_PRIVATE_NETWORK_TARGETS, names that tenants choose are looked up on these threads (`SystemNetwork`), and those of
 * PostgreSQL and Redis wait behind a slow one: then there are four on any machine, two of them for names.
 */
export function limitThreadPool(environment: NodeJS.ProcessEnv): void {
  const fewest = looksUpNamesOfTenants(environment) ? MOST_THREADS : FEWEST_THREADS;
  const threads = Math.min(MOST_THREADS, Math.max(fewest, availableParallelism()));
  environment['UV_THREADPOOL_SIZE'] ??= String(threads);
}

/** As the settings read it: before them, and without their checks. */
function looksUpNamesOfTenants(environment: NodeJS.ProcessEnv): boolean {
  const isEmbedded = !environment['DATABASE_URL'];
  return ['true', '1'].includes(environment['ALLOW_PRIVATE_NETWORK_TARGETS'] || String(isEmbedded));
}
