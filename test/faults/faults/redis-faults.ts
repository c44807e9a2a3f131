import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../fault.js';
import { Gateway } from '../gateway.js';
import { seconds } from '../report.js';
import { underLoad } from '../under-load.js';

/** The first commands wait half a second each; no request waits for more than a few of them. */
const MAX_WAIT_MS = 5_000;

/** F5 and F19: Redis is emptied, full, hung, killed, and its answers get lost. Nothing fails, and every mail arrives. */
export async function redisFails(milliseconds: number): Promise<Outcome> {
  let gateway: Gateway | null = null;
  const redisGateway = await Gateway.before('redis://127.0.0.1:1');
  try {
    return await underLoad(
      {
        // Without Redis no process is ready, which is for balancers to weigh: all of them keep answering.
        isDirect: true,
        redisThrough: (url) => {
          redisGateway.targetPort = Number(new URL(url).port);
          gateway = redisGateway;
          return redisGateway.through(url);
        },
      },
      async ({ redis, load, service }) => {
        await redis.ask((client) => client.flushall());
        await sleep(milliseconds / 2);
        await redis.ask((client) => client.config('SET', 'maxmemory', '1mb'));
        await sleep(milliseconds);
        await redis.ask((client) => client.config('SET', 'maxmemory', '0'));
        redis.hang();
        await sleep(milliseconds);
        redis.wakeUp();
        gateway!.line = 'lose answers';
        await sleep(milliseconds);
        gateway!.line = 'whole';
        const begun = performance.now();
        await service.recovered();
        const recovery = performance.now() - begun;
        await redis.kill();
        await sleep(milliseconds);
        await redis.start();
        await service.recovered();
        const slowest = load.takeSlowest();
        const broken = load.failed > 0 ? [`${load.failed} requests failed`] : [];
        if (slowest.ms > MAX_WAIT_MS) broken.push(`a request was slow: ${slowest.request}`);
        return {
          figures: `emptied, full, hung, one-way and killed, slowest answer ${seconds([slowest.ms])}, ready ${seconds([recovery])} after the loss`,
          broken,
        };
      },
    );
  } finally {
    await redisGateway.close();
  }
}
