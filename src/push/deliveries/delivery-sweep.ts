import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { DeliveryQueues } from './delivery-queues.js';

/** Finds due deliveries that were not announced: lost announcements, retries, deliveries of a process that died. */
@Injectable()
export class DeliverySweep extends PeriodicJob {
  readonly name = 'push.sweep';
  readonly everySeconds = 5;

  constructor(private readonly queues: DeliveryQueues) {
    super();
  }

  run(): Promise<void> {
    return this.queues.sweep();
  }
}
