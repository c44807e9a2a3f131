import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { WebhookQueues } from './webhook-queues.js';

/** Finds what is due: retries, what was waiting while its app was off, what a process took along when it died. */
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
