import cluster from 'node:cluster';

const GRACE_MS = 10_000;

/**
 * SIGTERM or SIGINT: `stop`, then exit 0. A second signal ends the process at once, and so do ten seconds after the
 * wait that `stop` begins with.
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
  // A terminal's Ctrl-C reaches a cluster's workers too, but their primary passes it on as SIGTERM: it is not a second one.
  process.on('SIGINT', cluster.isWorker ? () => undefined : onSignal);
}
