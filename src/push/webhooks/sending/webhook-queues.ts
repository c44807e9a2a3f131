import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { PER_APP_OPTIONS } from '../../../delivery/engine/capacity.rules.js';
import { QueueEngine } from '../../../delivery/engine/queue-engine.js';
import type { LeasedWebhook } from '../messages/webhook-messages.repository.js';
import { WebhookWork } from './webhook-work.js';

/** Webhooks, in one queue per app, so that an app's unavailable receiver does not delay other apps' webhooks. */
@Injectable()
export class WebhookQueues extends QueueEngine<LeasedWebhook> {
  constructor(
    work: WebhookWork,
    private readonly directory: AppDirectory,
  ) {
    super(work, PER_APP_OPTIONS);
  }

  /** The tenant, because it can have any number of apps. */
  protected override async ownerOf(appId: string): Promise<string> {
    return (await this.directory.find(appId))?.tenant.id ?? appId;
  }
}
