// Runs in Piscina's threads at low priority. Plain JavaScript so that the same file serves the build and the tests:
// a thread loads it by path. Synchronous functions on purpose: the asynchronous ones would share libuv's pool with
// signing.
import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import bcrypt from 'bcrypt';

const require = createRequire(import.meta.url);
const CALIBRATION_STEPS = 4;
const SMOOTHING = 0.2;

/** Milliseconds that a comparison of a cost takes in this thread, as lately seen. */
const usual = new Map();

/**
 * `hash` and `compare`: bcrypt. `verify`: a function of another system, or bcrypt of a lower cost; a mismatch then
 * takes as long as one at `padTo`, so that the address of such an account is not told by its speed.
 * @param {{ kind: 'hash', secret: string, cost: number }
 *   | { kind: 'compare', secret: string, hash: string, cost: number }
 *   | { kind: 'verify', password: string, stored: object, padTo: number }} task
 * @returns {{ result: string | boolean, ms: number }} with its time in this thread, without the wait for it
 */
export default function run(task) {
  const begun = performance.now();
  const result = resultOf(task);
  return { result, ms: performance.now() - begun };
}

function resultOf(task) {
  switch (task.kind) {
    case 'hash':
      return bcrypt.hashSync(task.secret, task.cost);
    case 'compare':
      return timed(task.cost, () => bcrypt.compareSync(task.secret, task.hash));
    case 'verify': {
      const begun = performance.now();
      const matches = verify(task.password, task.stored);
      if (!matches) pad(begun, task.padTo);
      return matches;
    }
    default:
      throw new Error('Unknown task');
  }
}

function verify(password, stored) {
  switch (stored.family) {
    case 'bcrypt':
      return bcrypt.compareSync(password, stored.hash);
    case 'argon2':
      // Loaded when first needed: most services never import one.
      return require('@node-rs/argon2').verifySync(stored.hash, password);
    case 'scrypt': {
      const { N, r, p, salt, key } = stored;
      const maxmem = 128 * N * r + 128 * r * p + (1 << 20);
      return timingSafeEqual(scryptSync(password, salt, key.length, { N, r, p, maxmem }), key);
    }
    case 'pbkdf2': {
      const { digest, iterations, salt, key } = stored;
      return timingSafeEqual(pbkdf2Sync(password, salt, iterations, key.length, digest), key);
    }
    default:
      throw new Error('Unknown family');
  }
}

function timed(cost, work) {
  const begun = performance.now();
  const result = work();
  const took = performance.now() - begun;
  const before = usual.get(cost);
  usual.set(cost, before === undefined ? took : before + SMOOTHING * (took - before));
  return result;
}

/** Fills the rest of the usual time with bcrypt of lower costs; each takes half as long as the next one. */
function pad(begun, cost) {
  if (!usual.has(cost)) {
    const low = Math.max(4, cost - CALIBRATION_STEPS);
    const start = performance.now();
    bcrypt.hashSync('calibration', low);
    usual.set(cost, (performance.now() - start) * 2 ** (cost - low));
    begun += performance.now() - start;
  }
  const whole = usual.get(cost);
  for (let step = cost - 1; step >= 4; step--) {
    const costs = whole / 2 ** (cost - step);
    if (whole - (performance.now() - begun) >= costs) bcrypt.hashSync('padding', step);
  }
}
