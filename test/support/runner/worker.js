import { register } from 'node:module';
import '../../../scripts/typescript.mjs';

register('./globals-hook.js', import.meta.url);
const { runFile } = await import('./run-file.js');

process.on('message', async (order) => {
  const answer = await runFile(order).then(
    (result) => ({ result }),
    ({ message, stack }) => ({ failure: { message, stack: stack ?? message } }),
  );
  process.send({ ...answer, rssBytes: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());
