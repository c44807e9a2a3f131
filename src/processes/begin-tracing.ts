import { setTimeout as sleep } from 'node:timers/promises';
import { tracing } from '../common/tracing/tracing.js';
import type { Settings } from '../config/settings.js';

/** A collector that does not answer must not delay the end of the process. */
const MAX_STOP_MS = 2_000;

/**
 * Starts tracing if the environment enables it; otherwise OpenTelemetry is not even loaded. Must be called before
 * anything connects. @returns a function that sends the last spans at the end of the process, and never rejects
 */
export async function beginTracing(settings: Settings): Promise<() => Promise<void>> {
  if (!settings.tracing) return () => Promise.resolve();
  const { startTracing } = await import('../operations/tracing/start-tracing.js');
  const started = startTracing(settings.trustProxy > 0);
  tracing.current = started;
  return async () => {
    await Promise.race([started.stop().catch(() => undefined), sleep(MAX_STOP_MS, undefined, { ref: false })]);
  };
}
