import cluster from 'node:cluster';

const GRACE_MS = 10_000;

/**
 * On SIGTERM or SIGINT: calls `stop`, then exits with 0. Exits at once on a second signal, or ten seconds after
 * `stop`'s initial wait.
 */
export function stopOnSignal(stop: () => Promise<void>, waitSeconds = 0): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), waitSeconds * 1_000 + GRACE_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`Stopping failed: ${String((error as Error).stack)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  // Ctrl-C in a terminal reaches the workers of a cluster too, but their primary passes it on as SIGTERM, so SIGINT
  // must not count as a second signal.
  process.on('SIGINT', cluster.isWorker ? () => undefined : onSignal);
}
