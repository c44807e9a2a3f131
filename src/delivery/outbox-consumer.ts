import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { JobExecutor } from './job-executor.js';
import { OutboxQueue } from './outbox-queue.js';

/** Takes wake-ups from Bull. They always succeed: whether the job did is written in its row. */
@Injectable()
export class OutboxConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly queue: OutboxQueue,
    private readonly executor: JobExecutor,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.consume(this.options.concurrency, (id) => this.executor.runOne(id));
  }
}
