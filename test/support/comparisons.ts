import { JobNotifier } from '../../src/delivery/queues/job-notifier.js';
import type { TestApp } from './test-app.js';
import type { World } from './world.js';

/** The minute is over after which the users of changes are written down. */
export async function writeDownNow(world: World, service: TestApp): Promise<void> {
  await world.sql(`UPDATE outbox_messages SET available_at = now()
    WHERE job = 'change.compare' AND payload ->> 'step' = 'write_down' AND done_at IS NULL`);
  await service.nest.get(JobNotifier, { strict: false }).sweep();
}

/** For tests that take longer than the minute, and expect that nothing is written meanwhile. */
export async function postponeComparisons(world: World): Promise<void> {
  await world.sql(`UPDATE outbox_messages SET available_at = now() + interval '1 hour'
    WHERE job = 'change.compare' AND done_at IS NULL`);
}
