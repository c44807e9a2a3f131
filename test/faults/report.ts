import type { Fault, RunOptions } from './fault.js';

export interface Line {
  readonly name: string;
  readonly state: 'held' | 'broken' | 'not run';
  readonly text: string;
  readonly seconds: number;
}

/** More than any fault needs: one that has not ended by then is given up, and the next one begins. */
const MAX_FAULT_MS = 15 * 60_000;

/**
 * Injects one fault. Never throws: what goes wrong with the rig itself counts as broken, too.
 * @param limitMs after which it is given up
 */
export async function inject(
  fault: Fault,
  options: RunOptions = { users: 0, share: 1 },
  limitMs: number = MAX_FAULT_MS,
): Promise<Line> {
  const begun = performance.now();
  const line = (state: Line['state'], text: string): Line => ({
    name: fault.name,
    state,
    text,
    seconds: Math.round((performance.now() - begun) / 1_000),
  });
  const lacking = fault.lacks?.();
  if (lacking) return line('not run', `this machine has no ${lacking}`);
  try {
    const { figures, broken } = await within(Math.min(limitMs, MAX_FAULT_MS), fault.run(options));
    return broken.length > 0 ? line('broken', `${figures}\n    ${broken.join('\n    ')}`) : line('held', figures);
  } catch (error) {
    return line('broken', String((error as Error).stack));
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No end after ${Math.round(milliseconds / 1_000)} s`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export function printed({ name, state, text, seconds }: Line): string {
  return `${state.toUpperCase().padEnd(8)} ${name} (${seconds} s): ${text}`;
}

/** For figures: the middle one and the slowest, in seconds. */
export function seconds(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((one, other) => one - other);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `${(middle / 1_000).toFixed(1)} s (slowest ${((sorted.at(-1) ?? 0) / 1_000).toFixed(1)} s)`;
}
