import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { PushSettingsRepository } from '../../settings/push-settings.repository.js';
import { WebhookMessagesRepository } from './webhook-messages.repository.js';

/** How long the log is kept. */
const KEPT_DAYS = 30;

/** Removes old messages, and previous secrets that no longer sign. */
@Injectable()
export class WebhookPurge extends PeriodicJob {
  readonly name = 'webhooks.purge';
  readonly everySeconds = 3600;

  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly settings: PushSettingsRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.messages.purge(KEPT_DAYS);
    await this.settings.forgetPreviousSecrets();
  }
}
