import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { InProcessNotifier } from '../../../../src/delivery/worker/in-process-notifier.js';
import type { QueueProcessors } from '../../../../src/delivery/worker/queue-processors.js';

/** Three queues, of which the second cannot be swept. */
function threeQueues() {
  const swept: string[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const queue = (name: string, fails: boolean) => ({
    sweep: async () => {
      mostAtOnce = Math.max(mostAtOnce, ++running);
      await turn();
      running--;
      if (fails) throw new Error(`${name} cannot be swept`);
      swept.push(name);
    },
  });
  const all = () => [queue('one', false), queue('two', true), queue('three', false)];
  const notifier = new InProcessNotifier({ all } as unknown as QueueProcessors);
  return { notifier, swept, mostAtOnce: () => mostAtOnce };
}

describe('The sweep without Redis', () => {
  it('looks at one queue at a time, so that it needs one database connection', async () => {
    const { notifier, mostAtOnce } = threeQueues();
    await notifier.sweep().catch(() => undefined);
    expect(mostAtOnce()).toBe(1);
  });

  it('goes on after a queue that fails, and tells of it', async () => {
    const { notifier, swept } = threeQueues();
    await expect(notifier.sweep()).rejects.toThrow('two cannot be swept');
    expect(swept).toEqual(['one', 'three']);
  });
});
