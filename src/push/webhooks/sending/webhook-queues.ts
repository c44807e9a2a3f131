import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { PER_APP_OPTIONS } from '../../../delivery/engine/capacity.rules.js';
import { QueueEngine } from '../../../delivery/engine/queue-engine.js';
import type { LeasedWebhook } from '../messages/webhook-messages.repository.js';
import { WebhookWork } from './webhook-work.js';

/** Webhooks, in one queue per app: one app's dead receiver does not delay another app's webhooks. */
@Injectable()
export class WebhookQueues extends QueueEngine<LeasedWebhook> {
  constructor(
    work: WebhookWork,
    private readonly directory: AppDirectory,
  ) {
    super(work, PER_APP_OPTIONS);
  }

  /** The tenant: it has as many apps as it likes. */
  protected override async ownerOf(appId: string): Promise<string> {
    return (await this.directory.find(appId))?.tenant.id ?? appId;
  }
}
