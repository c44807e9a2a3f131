import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { WebhookMessageNotFound } from '../../errors/push.errors.js';
import { failingWebhook, HEALTH_MESSAGES, type WebhookHealth } from './webhook-health.rules.js';
import type { WebhookMessage, WebhookStatus } from './webhook-message.entity.js';
import { WebhookMessagesRepository } from './webhook-messages.repository.js';

/** Counting stops here, because a busy app has many messages a day. */
export const MAX_COUNTED_MESSAGES = 10_000;

/** The messages to an app's webhook. */
@Injectable()
export class WebhookLog {
  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly apps: AppsService,
  ) {}

  /**
   * Newest first.
   * @returns `total`: null for more than {@link MAX_COUNTED_MESSAGES}
   * @throws AppNotFound, InsufficientPermissions
   */
  async list(
    ctx: RequestContext,
    appId: string,
    filter: { readonly status?: WebhookStatus; readonly limit: number; readonly page: number },
  ): Promise<{ messages: WebhookMessage[]; total: number | null; hasMore: boolean }> {
    const total = await this.count(ctx, appId, filter.status, MAX_COUNTED_MESSAGES + 1);
    const found = await this.messages.list(appId, filter);
    return { ...found, total: total > MAX_COUNTED_MESSAGES ? null : total };
  }

  /** Counted up to `most`. @throws AppNotFound, InsufficientPermissions */
  async count(ctx: RequestContext, appId: string, status: WebhookStatus | undefined, most: number): Promise<number> {
    await this.apps.getAdministered(ctx, appId);
    return this.messages.count(appId, status, most);
  }

  /** Null unless the last attempt failed. @throws AppNotFound, InsufficientPermissions */
  async health(ctx: RequestContext, appId: string): Promise<WebhookHealth | null> {
    await this.apps.getAdministered(ctx, appId);
    const { messages } = await this.messages.list(appId, { limit: HEALTH_MESSAGES, page: 1 });
    return failingWebhook(messages);
  }

  /** @throws AppNotFound, InsufficientPermissions, WebhookMessageNotFound */
  async get(ctx: RequestContext, appId: string, messageId: string): Promise<WebhookMessage> {
    await this.apps.getAdministered(ctx, appId);
    const message = await this.messages.find(appId, messageId);
    if (!message) throw new WebhookMessageNotFound();
    return message;
  }
}
