import { eventually } from './wait.js';
import type { World } from './world.js';

/**
 * Until everything promised has been done or given up: a look at the whole database then sees no background work. Comparisons of changes that are due
 * later do not come.
 */
export async function quietOutbox(world: World): Promise<void> {
  await eventually('an outbox with nothing to do', async () => {
    await world.sql(
      `DELETE FROM outbox_messages WHERE job = 'change.compare' AND available_at > now() AND done_at IS NULL`,
    );
    const open = `SELECT 1 FROM outbox_messages WHERE done_at IS NULL AND dead_at IS NULL LIMIT 1`;
    return (await world.sql(open)).length === 0;
  });
}
