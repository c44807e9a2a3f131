import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../delivery/job-handler.js';
import type { Jobs } from '../../delivery/jobs.js';
import { DeliveryLanes } from './delivery-lanes.js';

/** A wake-up and nothing more: a slow provider must not hold a place among the jobs. */
@Injectable()
export class PushDueHandler extends JobHandler<'push.due'> {
  readonly job = 'push.due';

  constructor(private readonly lanes: DeliveryLanes) {
    super();
  }

  async handle({ appId }: Jobs['push.due']): Promise<void> {
    this.lanes.wake(appId);
  }
}
