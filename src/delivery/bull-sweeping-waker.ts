import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { BullWaker } from './bull-waker.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { JobExecutor } from './job-executor.js';
import { OutboxQueue } from './outbox-queue.js';
import { OutboxRepository } from './outbox.repository.js';

/** Rows handed over again by one sweep. */
const BATCH = 500;

/** A process that hands over through Bull and also sees to it that nothing stays behind: the worker. */
@Injectable()
export class BullSweepingWaker extends BullWaker {
  constructor(
    private readonly outboxQueue: OutboxQueue,
    private readonly repository: OutboxRepository,
    private readonly executor: JobExecutor,
    private readonly clock: Clock,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {
    super(outboxQueue);
  }

  /**
   * Hands over again what is due (a retry, or Redis lost it). Where Redis does not take it, or nobody began it for
   * long although it did, the jobs are run from here: delivery does not depend on Redis, it is only quicker with it.
   */
  override async sweep(): Promise<void> {
    const due = await this.repository.listDue(this.clock.now(), BATCH);
    if (due.length === 0) return;
    const pushed = await this.outboxQueue.push(due);
    await this.executor.drain(pushed ? this.options.overdueSeconds : 0);
  }
}
