import { addHooks } from '../../../scripts/typescript.mjs';
import { loadCircus } from './circus.js';
import * as globalsHook from './globals-hook.js';

addHooks(new URL('./globals-hook.js', import.meta.url).href, globalsHook);
await loadCircus();
const { runFile } = await import('./run-file.js');

process.on('message', async (order) => {
  const answer = await runFile(order).then(
    (result) => ({ result }),
    ({ message, stack }) => ({ failure: { message, stack: stack ?? message } }),
  );
  process.send({ ...answer, rssBytes: rssBytes(order.run.workerIdleMemoryLimit) });
});
process.on('disconnect', () => process.exit());

/** Much of what a process holds waits to be collected; a process in its place would have to load the whole service. */
function rssBytes(limit) {
  if (process.memoryUsage.rss() > (limit ?? Infinity)) globalThis.gc();
  return process.memoryUsage.rss();
}
