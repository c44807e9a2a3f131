import { Injectable } from '@nestjs/common';
import { AuditedReads } from '../../audit/audited-reads.js';
import type { RequestContext } from '../../common/request-context.js';
import type { OpenPushSettings } from './push-secrets.js';
import type { PushConfigUpdate } from './push-settings.dto.js';
import { PushSettingsService } from './push-settings.service.js';

/** The push settings of an app for an answer with the webhook secret. The audit log records who has read it. */
@Injectable()
export class ShownPushSettings {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly reads: AuditedReads,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async get(ctx: RequestContext, appId: string): Promise<OpenPushSettings> {
    return this.recorded(ctx, await this.settings.get(ctx, appId));
  }

  /** The settings after the update. @throws as {@link PushSettingsService.update} */
  async update(ctx: RequestContext, appId: string, input: PushConfigUpdate): Promise<OpenPushSettings> {
    return this.recorded(ctx, await this.settings.update(ctx, appId, input));
  }

  private async recorded(ctx: RequestContext, settings: OpenPushSettings): Promise<OpenPushSettings> {
    const { app, webhookSecret } = settings;
    if (webhookSecret !== null) {
      const subject = { tenantId: app.tenantId, appId: app.id, target: { type: 'app', id: app.id } };
      await this.reads.record(ctx, 'push.secret_shown', subject, webhookSecret);
    }
    return settings;
  }
}
