import { setTimeout as sleep } from 'node:timers/promises';

const DAY_MS = 86_400_000;
const ENOUGH_MS = 60_000;

/** For tests of what is counted by day (UTC): in the last minute of a day they wait for the next one. */
export async function sameDay(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < ENOUGH_MS) await sleep(leftMs + 1);
}
