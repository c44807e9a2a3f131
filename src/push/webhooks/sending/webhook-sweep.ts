import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { WebhookQueues } from './webhook-queues.js';

/** Finds due messages: retries, messages that waited while their app was off, and those of a process that died. */
@Injectable()
export class WebhookSweep extends PeriodicJob {
  readonly name = 'webhooks.sweep';
  readonly everySeconds = 5;

  constructor(private readonly queues: WebhookQueues) {
    super();
  }

  run(): Promise<void> {
    return this.queues.sweep();
  }
}
