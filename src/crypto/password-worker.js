// Runs in Piscina's threads at low priority. Plain JavaScript so that the same file serves the build and the tests:
// a thread loads it by path. Synchronous bcrypt on purpose: the asynchronous one would share libuv's pool with signing.
import bcrypt from 'bcrypt';

/**
 * @param {{ kind: 'hash', secret: string, cost: number } | { kind: 'compare', secret: string, hash: string }} task
 * @returns {string | boolean}
 */
export default function run(task) {
  return task.kind === 'hash' ? bcrypt.hashSync(task.secret, task.cost) : bcrypt.compareSync(task.secret, task.hash);
}
