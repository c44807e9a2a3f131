import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere): one of those may be
 * taken between the look and the use. Each of jest's workers has its own slice and goes
 * through it once: its number stays that of a worker that takes its place, and no two of a run have the same.
 */
const FIRST = 16_000;
const SLICES = 16;
const SLICE = 1_000;
const slice = Number(process.env['JEST_WORKER_ID'] ?? process.pid) % SLICES;
let next = Math.floor(Math.random() * SLICE);

/** A loopback port that nothing listens on at this moment, and that the other test processes do not choose. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < SLICE; tries++) {
    const port = FIRST + slice * SLICE + (next++ % SLICE);
    if (await isFree(port)) return port;
  }
  throw new Error('No free port was found');
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  const free = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (!free) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}
