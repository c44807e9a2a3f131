import { setFlagsFromString } from 'node:v8';

/** A command that runs for minutes is optimised after this time. */
const LONGEST_MS = 10_000;

/**
 * Starts a process without V8's optimising compiler, which takes a seventh of the processor time of a start. What it makes is
 * for code that runs again and again, and most code of a start runs once (docs/decisions/0040).
 */
export async function withoutOptimising(start: () => Promise<void>, longestMs = LONGEST_MS): Promise<void> {
  setFlagsFromString('--no-opt');
  const optimise = (): void => setFlagsFromString('--opt');
  const late = setTimeout(optimise, longestMs).unref();
  try {
    await start();
  } finally {
    clearTimeout(late);
    optimise();
  }
}
