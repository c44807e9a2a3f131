import { Injectable } from '@nestjs/common';
import { BullQueues } from './bull-queues.js';
import { JobNotifier } from './job-notifier.js';
import type { QueueName, QueuedRow } from './queues.js';

/** Number of rows pushed in one command. */
const BATCH = 500;
/** Maximum number of rows per queue that are remembered while Redis is slow. The sweep finds the others. */
const MAX_BACKLOG = 10_000;

/** For a process that only announces jobs, with Bull: web with Redis. */
@Injectable()
export class BullNotifier extends JobNotifier {
  private readonly backlogs = new Map<QueueName, QueuedRow[]>();
  private readonly pushing = new Set<QueueName>();

  constructor(private readonly queues: BullQueues) {
    super();
  }

  override announce(rows: readonly QueuedRow[]): void {
    for (const row of rows) {
      const backlog = this.backlogs.get(row.queue) ?? [];
      this.backlogs.set(row.queue, backlog);
      if (backlog.length < MAX_BACKLOG) backlog.push(row);
    }
    for (const queue of this.backlogs.keys()) if (!this.pushing.has(queue)) void this.push(queue);
  }

  /** Only workers run the sweep. */
  override async sweep(): Promise<void> {}

  /** One command at a time per queue; rows that arrive in the meantime are sent together in the next one. */
  private async push(queue: QueueName): Promise<void> {
    this.pushing.add(queue);
    for (let rows = this.next(queue); rows.length > 0; rows = this.next(queue)) {
      if (!(await this.queues.push(queue, rows))) this.backlogs.delete(queue);
    }
    this.pushing.delete(queue);
  }

  private next(queue: QueueName): QueuedRow[] {
    return this.backlogs.get(queue)?.splice(0, BATCH) ?? [];
  }
}
