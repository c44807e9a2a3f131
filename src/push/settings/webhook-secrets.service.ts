import { Injectable } from '@nestjs/common';
import { AppChanges } from '../../apps/changes/app-changes.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { PushNotEnabled } from '../errors/push.errors.js';
import { PushSettingsRepository } from './push-settings.repository.js';
import { aadOfPushSetting } from './push-secrets.js';
import { newWebhookSecret } from './webhook-secret.js';

export interface RotatedSecret {
  readonly secret: string;
  /** Until then, the previous secret signs too. */
  readonly previousUntil: Date;
}

/** Regenerates the secret of an app's webhook, with an overlap so that receivers can change. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly settings: PushSettingsRepository,
    private readonly apps: AppsService,
    private readonly changes: AppChanges,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  /** The old secret also signs for a day, unless it cannot be decrypted. @throws AppNotFound, InsufficientPermissions, PushNotEnabled */
  rotate(ctx: RequestContext, appId: string): Promise<RotatedSecret> {
    const secret = newWebhookSecret(this.randomness);
    return this.changes.run({ ctx, appId }, async (tx) => {
      const app = await this.apps.getAdministered(ctx, appId, tx);
      const { id } = app;
      const { sealedWebhookSecret } = await this.settings.lock(tx, id);
      if (!sealedWebhookSecret) throw new PushNotEnabled();
      const old = this.box.openIfReadable(sealedWebhookSecret, aadOfPushSetting(id, 'webhook_secret'));
      const previousUntil = await this.settings.rotateWebhookSecret(tx, id, {
        secret: this.box.seal(secret, aadOfPushSetting(id, 'webhook_secret')),
        previous: old && this.box.seal(old, aadOfPushSetting(id, 'previous_webhook_secret')),
      });
      await this.changes.record(tx, ctx, 'push.config_changed', app, { fields: ['webhook_secret'] });
      return { secret, previousUntil };
    });
  }
}
