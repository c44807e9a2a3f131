import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { NotificationBatches } from '../notifications/notification-batches.service.js';
import { DeliveryQueues } from './delivery-queues.js';

/** Writes a batch that the workers have given up. Does nothing if the batch is written or has expired. */
@Injectable()
export class WriteBatchHandler extends JobHandler<'push.write_batch'> {
  readonly job = 'push.write_batch';

  constructor(
    private readonly batches: NotificationBatches,
    private readonly queues: DeliveryQueues,
  ) {
    super();
  }

  async handle({ appId, batchId }: Jobs['push.write_batch']): Promise<void> {
    await this.batches.writeAnyway(batchId);
    this.queues.wake(appId);
  }
}
