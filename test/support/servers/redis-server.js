import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startGuarded } from './guarded.js';
import { findProgram } from './program.js';

/** Where no Redis answers: what works without one is tested on machines without one as well. */
export const NOBODY = 'redis://127.0.0.1:1';

/** A Redis for one test run: own port, loopback only, nothing kept. `TEST_REDIS_URL` replaces it. */
export async function startRedis(folder) {
  if (process.env.TEST_REDIS_URL) {
    const url = process.env.TEST_REDIS_URL;
    await answers(url, 5_000);
    return { url, stop: async () => undefined };
  }
  const program = findProgram('Redis');
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--databases', '64'];
  const keepNothing = ['--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
  const server = startGuarded(program, [...place, ...keepNothing]);
  const url = `redis://127.0.0.1:${port}`;
  await answers(url, 10_000);
  return { url, stop: () => server.stop() };
}

export async function emptyRedis(url) {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

async function answers(url, patience) {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => 50, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  redis.connect().catch(() => undefined);
  const pong = await Promise.race([redis.ping(), sleep(patience, null, { ref: false })]);
  redis.disconnect();
  if (pong !== 'PONG') throw new Error('The Redis for the tests does not answer.');
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
