import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { underLoad } from '../under-load.js';

/** From SIGTERM to the end, with the second that the balancer is given. */
const MAX_STOP_MS = 3_000;

/** Ends one process after the other by SIGTERM and starts it again, while clients keep their connections. */
export function rollingRestarts(restarts: number): Promise<Outcome> {
  return underLoad({ env: { SHUTDOWN_DELAY_SECONDS: '1' } }, async ({ service, load }) => {
    const broken: string[] = [];
    const stops: number[] = [];
    for (let count = 0; count < restarts; count++) {
      const { code, signal, ms } = await service.end(count % 2, 'SIGTERM');
      stops.push(ms);
      if (code !== 0) broken.push(`restart ${count + 1}: ended with ${signal ?? code}`);
      if (ms > MAX_STOP_MS) broken.push(`restart ${count + 1}: took ${Math.round(ms)} ms to stop`);
      await service.begin(count % 2);
      await service.recovered();
    }
    await service.restartWorker('SIGTERM');
    await load.end();
    if (load.failed > 0)
      broken.push(`${load.failed} requests failed: ${[...load.failures, ...service.balancer.failures].join(', ')}`);
    return { figures: `${restarts} restarts, stopped after ${seconds(stops)}, ${load.failed} failed`, broken };
  });
}
