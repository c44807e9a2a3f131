import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Outbox } from '../../../delivery/outbox/outbox.service.js';
import {
  PushNotEnabled,
  WebhookIsDisabled,
  WebhookMessageNotFound,
  WebhookNotConfigured,
} from '../../errors/push.errors.js';
import { PushSettingsRepository } from '../../settings/push-settings.repository.js';
import { WebhookMessagesRepository } from '../messages/webhook-messages.repository.js';
import './webhook-due.handler.js';

/** Messages that administrators send, in the caller's transaction, with their audit entry. */
@Injectable()
export class WebhookDispatch {
  constructor(
    private readonly messages: WebhookMessagesRepository,
    private readonly settings: PushSettingsRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditService,
  ) {}

  /** @throws WebhookMessageNotFound, PushNotEnabled, WebhookNotConfigured, WebhookIsDisabled */
  async replay(tx: EntityManager, ctx: RequestContext, app: App, messageId: string): Promise<void> {
    if (!(await this.messages.replay(tx, app.id, messageId))) throw new WebhookMessageNotFound();
    await this.checkTakesMessages(tx, app.id);
    await this.sent(tx, ctx, app, targetOf(messageId), { webhook: 'replayed' });
  }

  /** @returns how many. @throws PushNotEnabled, WebhookNotConfigured, WebhookIsDisabled */
  async replayFailed(tx: EntityManager, ctx: RequestContext, app: App, most: number): Promise<number> {
    await this.checkTakesMessages(tx, app.id);
    const messages = await this.messages.replayFailed(tx, app.id, most);
    const target = { type: 'app', id: app.id };
    if (messages > 0) await this.sent(tx, ctx, app, target, { webhook: 'replayed', messages });
    return messages;
  }

  /** @throws PushNotEnabled, WebhookNotConfigured, WebhookIsDisabled */
  async test(
    tx: EntityManager,
    ctx: RequestContext,
    app: App,
    message: { readonly id: string; readonly type: string; readonly body: string },
  ): Promise<void> {
    await this.checkTakesMessages(tx, app.id);
    await this.messages.insert(tx, { ...message, appId: app.id });
    await this.sent(tx, ctx, app, targetOf(message.id), { webhook: 'test' });
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
    target: { readonly type: string; readonly id: string },
    metadata: { readonly webhook: 'test' | 'replayed'; readonly messages?: number },
  ): Promise<void> {
    await this.outbox.add(tx, 'webhooks', 'webhook.due', { appId: app.id }, { group: app.tenantId });
    const { tenantId, id: appId } = app;
    await this.audit.record(tx, ctx, 'push.sent', { tenantId, appId, target, metadata });
  }
}

function targetOf(messageId: string) {
  return { type: 'webhook_message', id: messageId };
}
