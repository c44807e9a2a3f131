import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { DeliveryLanes } from './delivery-lanes.js';

/** Finds what no wake-up told of: one that was lost, retries, deliveries whose process died. */
@Injectable()
export class DeliverySweep extends PeriodicJob {
  readonly name = 'push.sweep';
  readonly everySeconds = 5;

  constructor(private readonly lanes: DeliveryLanes) {
    super();
  }

  run(): Promise<void> {
    return this.lanes.sweep();
  }
}
