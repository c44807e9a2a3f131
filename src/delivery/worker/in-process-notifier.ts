import { Injectable } from '@nestjs/common';
import { JobNotifier } from '../queues/job-notifier.js';
import { QueueProcessors } from './queue-processors.js';
import type { QueuedRow } from '../queues/queues.js';

/** Without Redis, the process that writes a job also runs it. */
@Injectable()
export class InProcessNotifier extends JobNotifier {
  constructor(private readonly processors: QueueProcessors) {
    super();
  }

  override announce(rows: readonly QueuedRow[]): void {
    for (const { queue, group } of rows) this.processors.find(queue)?.wake(group);
  }

  /** One queue after the other, because each needs a database connection. A failure does not stop the others. */
  override async sweep(): Promise<void> {
    const failures: unknown[] = [];
    for (const processor of this.processors.all()) {
      await processor.sweep().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
