import { Injectable } from '@nestjs/common';
import { JobNotifier } from './job-notifier.js';
import { QueueProcessors } from './queue-processors.js';
import type { QueuedRow } from './queues.js';

/** Without Redis: the process that writes a job also runs it. */
@Injectable()
export class InProcessNotifier extends JobNotifier {
  constructor(private readonly processors: QueueProcessors) {
    super();
  }

  override announce(rows: readonly QueuedRow[]): void {
    for (const { queue, group } of rows) this.processors.find(queue)?.wake(group);
  }

  override async sweep(): Promise<void> {
    await Promise.all(this.processors.all().map((processor) => processor.sweep()));
  }
}
