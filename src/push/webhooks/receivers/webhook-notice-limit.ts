import { Injectable } from '@nestjs/common';
import type { JobMeta } from '../../../delivery/worker/job-handler.js';
import { RetryLater } from '../../../delivery/outbox/retry-later.js';
import { keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { WebhookReceivers } from './webhook-receivers.js';
import type { WebhookFailure } from './webhook-notice.service.js';

/** Whether a notice about an app's webhook is sent: once a day for each app and kind of failure. */
@Injectable()
export class WebhookNoticeLimit {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly receivers: WebhookReceivers,
  ) {}

  /**
   * A webhook that is switched off a second time within a day stays off, so its notice waits until the day is over. It is
   * dropped if the webhook is on again when it is tried, or another notice was first.
   * @throws RetryLater
   */
  async admits(appId: string, what: WebhookFailure, { id, attempt }: JobMeta): Promise<boolean> {
    if (what === 'gone' && attempt > 1 && !(await this.receivers.isOff(appId))) return false;
    const key = keyOf(appId, what);
    if (await this.limits.passesOnce('webhook_notice', key, id)) return true;
    if (what === 'gone' && attempt === 1)
      throw new RetryLater((await this.limits.peek('webhook_notice', key)).retryAfter, 'limit webhook_notice');
    return false;
  }

  forget(jobId: string): Promise<void> {
    return this.limits.forgetPassed([jobId]);
  }
}
