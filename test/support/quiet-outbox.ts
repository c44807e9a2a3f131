import { eventually } from './wait.js';
import type { World } from './world.js';

/**
 * Until everything promised has been done or given up, but for what is due tomorrow: a look at the whole database then sees no
 * background work.
 */
export async function quietOutbox(world: World): Promise<void> {
  await eventually('an outbox with nothing to do', async () => {
    const open = `SELECT 1 FROM outbox_messages WHERE done_at IS NULL AND dead_at IS NULL
      AND NOT (job = 'change.compare' AND available_at > now() + interval '1 hour') LIMIT 1`;
    return (await world.sql(open)).length === 0;
  });
}
