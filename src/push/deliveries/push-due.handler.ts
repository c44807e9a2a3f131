import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../delivery/job-handler.js';
import type { Jobs } from '../../delivery/jobs.js';
import { DeliveryQueues } from './delivery-queues.js';

/** Wakes the app's queue and nothing more: a slow provider must not hold a place among the jobs. */
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
