import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { systemContext } from '../../../common/request-context.js';
import { PushSettingsRepository } from '../../settings/push-settings.repository.js';

/** Whether an app's receiver accepts messages, according to its settings. */
@Injectable()
export class WebhookReceivers {
  constructor(
    private readonly settings: PushSettingsRepository,
    private readonly audit: AuditService,
  ) {}

  /** @returns false if it is already off, or has another address now */
  async disable(tx: EntityManager, client: RegisteredClient, url: string): Promise<boolean> {
    if (!(await this.settings.disableWebhook(tx, client.app.id, url))) return false;
    await this.audit.record(tx, systemContext('webhooks'), 'push.config_changed', disabled(client));
    return true;
  }

  /** Whether the receiver was gone and no administrator has saved the address since. */
  async isOff(appId: string): Promise<boolean> {
    return ((await this.settings.find(appId))?.webhookDisabledAt ?? null) !== null;
  }

  /** @returns false if its admins have already been notified */
  noteFailureTold(tx: EntityManager, appId: string): ReturnType<PushSettingsRepository['noteFailureTold']> {
    return this.settings.noteFailureTold(tx, appId);
  }

  recovered(appId: string): ReturnType<PushSettingsRepository['forgetFailure']> {
    return this.settings.forgetFailure(appId);
  }
}

function disabled({ app }: RegisteredClient) {
  return {
    tenantId: app.tenantId,
    appId: app.id,
    target: { type: 'app', id: app.id },
    metadata: { fields: ['webhook_disabled'], reason: 'The receiver answered 410' },
  };
}
