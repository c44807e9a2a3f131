import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { DeliveryQueues } from './delivery-queues.js';

/** Only wakes the app's queue, so that a slow provider does not block other jobs. */
@Injectable()
export class PushDueHandler extends JobHandler<'push.due'> {
  readonly job = 'push.due';

  constructor(private readonly queues: DeliveryQueues) {
    super();
  }

  async handle({ appId }: Jobs['push.due']): Promise<void> {
    this.queues.wake(appId);
  }
}
