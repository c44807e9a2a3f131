import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppsService } from '../../apps/apps.service.js';
import type { App } from '../../apps/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../common/clock.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { Outbox } from '../../delivery/outbox.service.js';
import {
  PushNotEnabled,
  WebhookIsDisabled,
  WebhookMessageNotFound,
  WebhookNotConfigured,
} from '../errors/push.errors.js';
import { PushSettingsRepository } from '../settings/push-settings.repository.js';
import type { WebhookMessage, WebhookStatus } from './webhook-message.entity.js';
import { WebhookMessagesRepository } from './webhook-messages.repository.js';
import './webhook-due.handler.js';

export const TEST_EVENT = 'webhook.test';

/** An app's webhook for its administrators: the log, resending, test events. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly settings: PushSettingsRepository,
    private readonly apps: AppsService,
    private readonly audit: AuditService,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
  ) {}

  /** Newest first. @throws AppNotFound, InsufficientPermissions */
  async list(
    ctx: RequestContext,
    appId: string,
    filter: { readonly status?: WebhookStatus; readonly limit: number; readonly page: number },
  ): Promise<{ messages: WebhookMessage[]; total: number }> {
    await this.apps.getAdministered(ctx, appId);
    return this.messages.list(appId, filter);
  }

  /** @throws AppNotFound, InsufficientPermissions, WebhookMessageNotFound */
  async get(ctx: RequestContext, appId: string, messageId: string): Promise<WebhookMessage> {
    await this.apps.getAdministered(ctx, appId);
    const message = await this.messages.find(appId, messageId);
    if (!message) throw new WebhookMessageNotFound();
    return message;
  }

  /**
   * Sends a message again, whatever its status: the same id and body, with a new schedule.
   * @throws AppNotFound, InsufficientPermissions, WebhookMessageNotFound, WebhookNotConfigured, WebhookIsDisabled
   */
  async replay(ctx: RequestContext, appId: string, messageId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const app = await this.apps.getAdministered(ctx, appId, tx);
      if (!(await this.messages.replay(tx, appId, messageId))) throw new WebhookMessageNotFound();
      await this.checkTakesMessages(tx, appId);
      await this.sent(tx, ctx, app, messageId, 'replayed');
    });
  }

  /**
   * Sends an event of the type `webhook.test`, in the same way as all others.
   * @returns id of the message
   * @throws AppNotFound, InsufficientPermissions, PushNotEnabled, WebhookNotConfigured, WebhookIsDisabled
   */
  async test(ctx: RequestContext, appId: string): Promise<string> {
    const id = this.randomness.uuid();
    const event = { type: TEST_EVENT, timestamp: this.clock.now().toISOString(), data: { app_id: appId } };
    await this.transactions.run(async (tx) => {
      const app = await this.apps.getAdministered(ctx, appId, tx);
      await this.checkTakesMessages(tx, appId);
      await this.messages.insert(tx, { id, appId, type: TEST_EVENT, body: JSON.stringify(event) });
      await this.sent(tx, ctx, app, id, 'test');
    });
    return id;
  }

  private async checkTakesMessages(tx: EntityManager, appId: string): Promise<void> {
    const settings = await this.settings.find(appId, tx);
    if (!settings?.sealedWebhookSecret) throw new PushNotEnabled();
    if (settings.webhookUrl === null) throw new WebhookNotConfigured();
    if (settings.webhookDisabledAt) throw new WebhookIsDisabled();
  }

  private async sent(
    tx: EntityManager,
    ctx: RequestContext,
    app: App,
    messageId: string,
    webhook: 'test' | 'replayed',
  ): Promise<void> {
    await this.outbox.add(tx, 'webhooks', 'webhook.due', { appId: app.id });
    const target = { type: 'webhook_message', id: messageId };
    const { tenantId, id: appId } = app;
    await this.audit.record(tx, ctx, 'push.sent', { tenantId, appId, target, metadata: { webhook } });
  }
}
