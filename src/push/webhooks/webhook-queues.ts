import { Injectable } from '@nestjs/common';
import { PER_APP_OPTIONS } from '../../delivery/engine/capacity.rules.js';
import { QueueEngine } from '../../delivery/engine/queue-engine.js';
import type { LeasedWebhook } from './webhook-messages.repository.js';
import { WebhookWork } from './webhook-work.js';

/** Webhooks, in one queue per app: one app's dead receiver does not delay another app's webhooks. */
@Injectable()
export class WebhookQueues extends QueueEngine<LeasedWebhook> {
  constructor(work: WebhookWork) {
    super(work, PER_APP_OPTIONS);
  }
}
