import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../support/median.js';
import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { underLoad } from '../under-load.js';

const MAX_PAUSE_MS = 500;
/** From the start of the process to its readiness, in the middle: a busy machine may need longer once. */
const MAX_START_MS = 5_000;

/** Kills web processes and the worker in turn, at random moments, and starts them again. */
export function randomKills(kills: number): Promise<Outcome> {
  return underLoad({}, async ({ service }) => {
    const starts: number[] = [];
    for (let count = 0; count < kills; count++) {
      await sleep(Math.random() * MAX_PAUSE_MS);
      if (count % 5 === 4) {
        await service.restartWorker('SIGKILL');
        continue;
      }
      await service.end(count % 2, 'SIGKILL');
      starts.push(await service.begin(count % 2));
      await service.recovered();
    }
    const broken = median(starts) > MAX_START_MS ? [`ready only after ${Math.round(median(starts))} ms`] : [];
    return { figures: `${kills} kills at random moments; ready again after ${seconds(starts)}`, broken };
  });
}
