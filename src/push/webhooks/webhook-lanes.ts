import { Injectable } from '@nestjs/common';
import { Lanes } from '../lanes/lanes.js';
import type { LeasedWebhook } from './webhook-messages.repository.js';
import { WebhookWork } from './webhook-work.js';

/** One app's dead receiver does not delay another app's webhooks. */
@Injectable()
export class WebhookLanes extends Lanes<LeasedWebhook> {
  constructor(work: WebhookWork) {
    super(work);
  }
}
