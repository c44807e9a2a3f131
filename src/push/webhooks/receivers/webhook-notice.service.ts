import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Clock } from '../../../common/clock.js';
import { Outbox } from '../../../delivery/outbox/outbox.service.js';
import { keyOf } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { withoutLinks } from '../../../mail/content/without-links.js';

/** `gone`: the receiver answered 410. `failed`: a message could not be delivered in all its attempts. */
export type WebhookFailure = 'gone' | 'failed';

declare module '../../../delivery/outbox/jobs.js' {
  interface Jobs {
    /** `receiver` is a host name without links, `when` a text. */
    'webhook.notice': {
      readonly appId: string;
      readonly what: WebhookFailure;
      readonly receiver: string;
      readonly when: string;
    };
  }
}

/** Notifies the operators who can repair an app's webhook that it does not work, by the job of `WebhookNoticeHandler`. */
@Injectable()
export class WebhookNotice {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly limits: RateLimitsService,
  ) {}

  /** Whether the notice would be sent: at most one a day of each kind (`WebhookNoticeHandler`). */
  async isDue({ app }: RegisteredClient, what: WebhookFailure): Promise<boolean> {
    return (await this.limits.peek('webhook_notice', keyOf(app.id, what))).allowed;
  }

  async send(tx: EntityManager, client: RegisteredClient, webhookUrl: string, what: WebhookFailure): Promise<void> {
    const { app, tenant } = client;
    const receiver = withoutLinks(new URL(webhookUrl).host);
    const notice = { appId: app.id, what, receiver, when: this.clock.now().toUTCString() };
    await this.outbox.add(tx, 'notices', 'webhook.notice', notice, { group: tenant.id });
  }
}
