import { setTimeout as sleep } from 'node:timers/promises';
import { tracing } from '../common/tracing/tracing.js';
import type { Settings } from '../config/settings.js';

/** A collector that does not answer must not keep the process from ending. */
const LONGEST_STOP_MS = 2_000;

/**
 * Begins traces if the environment asks for them; otherwise OpenTelemetry is not even loaded. Call it before anything
 * connects. @returns what sends the last spans at the end of the process; it never rejects
 */
export async function beginTracing(settings: Settings): Promise<() => Promise<void>> {
  if (!settings.tracing) return () => Promise.resolve();
  const { startTracing } = await import('../operations/tracing/start-tracing.js');
  const started = startTracing(settings.trustProxy > 0);
  tracing.current = started;
  return async () => {
    await Promise.race([started.stop().catch(() => undefined), sleep(LONGEST_STOP_MS, undefined, { ref: false })]);
  };
}
