import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 10;

/**
 * How long work takes, counted in short sleeps of this process: a stretch in which others have the processors counts as
 * one of them, so a busy machine makes nothing late. Never more than by the clock.
 */
export async function activeMs(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const ended = work().finally(() => (isOver = true));
  ended.catch(() => undefined); // thrown below
  let ms = 0;
  for (; !isOver; ms += STEP_MS) await sleep(STEP_MS);
  await ended;
  return ms;
}
