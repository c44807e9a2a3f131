import { Injectable } from '@nestjs/common';
import { Lanes } from '../lanes/lanes.js';
import { type DeliveryInHand, DeliveryWork } from './delivery-work.js';

/** Deliveries, app by app. */
@Injectable()
export class DeliveryLanes extends Lanes<DeliveryInHand> {
  constructor(work: DeliveryWork) {
    super(work);
  }
}
