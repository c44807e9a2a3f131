import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import type { QueueOptions } from './engine/capacity.rules.js';
import { JobRunner } from './job-runner.js';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxWork } from './outbox-work.js';
import type { QueueName } from './queues.js';

/** What a {@link QueueProcessor} needs of the outbox. */
@Injectable()
export class OutboxJobs {
  constructor(
    private readonly repository: OutboxRepository,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  of(queue: QueueName): OutboxWork {
    return new OutboxWork(queue, this.repository, this.runner, this.clock, this.options.overdueSeconds);
  }

  /** All jobs of a queue are one group, which may use every place. */
  queueOptions(concurrency: number): QueueOptions {
    const { leaseSeconds, handlerSeconds: attemptSeconds, drainSeconds } = this.options;
    return { perGroup: concurrency, total: concurrency, share: 1, leaseSeconds, attemptSeconds, drainSeconds };
  }

  /** Of this queue, due for longest first. */
  listDue(queue: QueueName, limit: number): Promise<string[]> {
    return this.repository.listDue(queue, this.clock.now(), limit);
  }
}
