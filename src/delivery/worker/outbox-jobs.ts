import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import type { QueueOptions } from '../engine/capacity.rules.js';
import { JobRunner } from './job-runner.js';
import { OutboxRepository } from '../outbox/outbox.repository.js';
import { OutboxWork } from './outbox-work.js';
import { QUEUE_CONCURRENCY, type QueuedRow, type QueueName } from '../queues/queues.js';

/** The parts of the outbox that a {@link QueueProcessor} uses. */
@Injectable()
export class OutboxJobs {
  constructor(
    private readonly repository: OutboxRepository,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  of(queue: QueueName): OutboxWork {
    return new OutboxWork(queue, this.repository, this.runner, this.clock);
  }

  /** A tenant, with all its apps, never gets all slots, however many jobs it has. */
  queueOptions(queue: QueueName): QueueOptions {
    const { perGroup, total } = QUEUE_CONCURRENCY[queue];
    const { leaseSeconds, handlerSeconds: attemptSeconds, drainSeconds } = this.options;
    const share = perGroup / total;
    return { perGroup, total, share, ownerShare: share, leaseSeconds, attemptSeconds, drainSeconds };
  }

  /** Due rows of this queue, oldest of each group first. */
  async listDue(queue: QueueName, limit: number): Promise<QueuedRow[]> {
    const rows = await this.repository.listDue(queue, this.clock.now(), limit);
    return rows.map((row) => ({ queue, ...row }));
  }

  /** Groups with rows that no process has started for a long time. */
  listOverdue(queue: QueueName): Promise<string[]> {
    return this.repository.listGroups(queue, this.clock.now(), this.options.overdueSeconds);
  }
}
