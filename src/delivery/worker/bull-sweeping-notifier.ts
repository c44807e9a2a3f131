import { Injectable } from '@nestjs/common';
import { BullNotifier } from '../queues/bull-notifier.js';
import { BullQueues } from '../queues/bull-queues.js';
import type { QueueProcessor } from './queue-processor.js';
import { QueueProcessors } from './queue-processors.js';

/** For the worker: announces through Bull, and finds rows whose announcement was lost. */
@Injectable()
export class BullSweepingNotifier extends BullNotifier {
  constructor(
    private readonly bull: BullQueues,
    private readonly processors: QueueProcessors,
  ) {
    super(bull);
  }

  override async sweep(): Promise<void> {
    await Promise.all(this.processors.all().map((processor) => this.sweepQueue(processor)));
  }

  /**
   * Announces due rows again (a retry, or Redis lost the announcement). If Redis does not accept them, or no process
   * starts them for a long time, this process runs the jobs itself: delivery does not depend on Redis, which only makes
   * it faster.
   */
  private async sweepQueue(processor: QueueProcessor): Promise<void> {
    const due = await processor.listDueRows();
    if (due.length === 0) return;
    if (await this.bull.push(processor.queue, due)) await processor.runOverdue();
    else await processor.sweep();
  }
}
