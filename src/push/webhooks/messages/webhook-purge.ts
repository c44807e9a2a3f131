import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { PushSettingsRepository } from '../../settings/push-settings.repository.js';
import { WebhookMessagesRepository } from './webhook-messages.repository.js';

/** How long the log is kept. */
const KEPT = '30 days';

/** Removes old messages, and previous secrets that no longer sign. */
@Injectable()
export class WebhookPurge extends PurgeJob {
  override readonly name = 'webhooks.purge';

  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly settings: PushSettingsRepository,
  ) {
    super();
  }

  protected override purges() {
    return [
      () => this.messages.purgeEnded(KEPT),
      () => this.messages.purgeUnsent(KEPT),
      () => this.settings.forgetPreviousSecrets(),
    ];
  }
}
