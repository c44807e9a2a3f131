import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppChanges } from '../../apps/changes/app-changes.js';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { requireRecentSignIn } from '../../common/http/recent-sign-in.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { judgeTargetUrl } from '../../outbound/target-url.rules.js';
import { type OpenPushSettings, PushSecrets } from './push-secrets.js';
import type { PushConfigUpdate } from './push-settings.dto.js';
import { type PushSettings } from './push-settings.entity.js';
import { PushSettingsRepository } from './push-settings.repository.js';

/** The push settings of an app: quota, webhook, VAPID pair, Firebase account. */
@Injectable()
export class PushSettingsService {
  constructor(
    private readonly settings: PushSettingsRepository,
    private readonly apps: AppsService,
    private readonly secrets: PushSecrets,
    private readonly changes: AppChanges,
    @Inject(SETTINGS) private readonly config: Settings,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async get(ctx: RequestContext, appId: string): Promise<OpenPushSettings> {
    return this.secrets.open(await this.apps.getAdministered(ctx, appId), await this.settings.find(appId));
  }

  /** For delivery: without an authority check. */
  async of(app: App): Promise<OpenPushSettings> {
    return this.secrets.open(app, await this.settings.find(app.id));
  }

  /** Public: decrypts nothing. @returns null if push was never enabled */
  async findVapidKey(appId: string): Promise<string | null> {
    return (await this.settings.find(appId))?.vapidPublicKey ?? null;
  }

  /** As {@link of}, by id. @returns null if the app was deleted */
  async find(appId: string): Promise<OpenPushSettings | null> {
    const app = await this.apps.find(appId);
    return app && (await this.of(app));
  }

  /**
   * Updates any subset. Enabling push for the first time creates the webhook secret and the VAPID pair, which are then
   * kept: browsers have subscribed with the pair, receivers know the secret. If nothing changes, nothing is written, also
   * no audit entry, which could not be deleted.
   * @throws AppNotFound, InsufficientPermissions, InvalidInput for an address that the service would not call,
   *   ReauthenticationRequired for another Firebase account
   */
  async update(ctx: RequestContext, appId: string, input: PushConfigUpdate): Promise<OpenPushSettings> {
    if (input.fcm_service_account !== undefined) requireRecentSignIn(ctx);
    this.check(input);
    const fields = Object.keys(input).filter((name) => input[name as keyof PushConfigUpdate] !== undefined);
    if (fields.length === 0) return this.get(ctx, appId);
    const updated = await this.changes.run({ ctx, appId }, async (tx) => {
      const { app, after, isChanged } = await this.apply(tx, await this.apps.getAdministered(ctx, appId, tx), input);
      if (isChanged) await this.changes.record(tx, ctx, 'push.config_changed', app, { fields });
      return { app, after };
    });
    return this.secrets.open(updated.app, updated.after);
  }

  /**
   * Writes the settings in the transaction of the caller, which checks authority and input and writes the audit entry.
   */
  async apply(
    tx: EntityManager,
    governed: App,
    input: PushConfigUpdate,
  ): Promise<{ readonly app: App; readonly after: PushSettings; readonly isChanged: boolean }> {
    const { id } = governed;
    const before = await this.settings.lock(tx, id);
    // Read again, because another update may have switched push before this one had the lock.
    const { pushEnabled } = await this.apps.get(id, tx);
    const isSwitched = input.enabled !== undefined && input.enabled !== pushEnabled;
    const change: Partial<PushSettings> = {
      ...(input.enabled ? this.secrets.firstSecrets(before, { isSwitchedOn: !pushEnabled }) : {}),
      ...(input.webhook_url === undefined
        ? {}
        : { webhookUrl: input.webhook_url, webhookDisabledAt: null, webhookFailureToldAt: null }),
      ...(input.daily_quota === undefined ? {} : { dailyQuota: input.daily_quota }),
      ...(input.fcm_service_account === undefined ? {} : this.secrets.sealedAccount(before, input.fcm_service_account)),
    };
    const app = isSwitched ? await this.apps.switchPush(tx, id, !pushEnabled) : governed;
    const isKept = Object.entries(change).every(([name, value]) => before[name as keyof PushSettings] === value);
    if (isKept) return { app, after: before, isChanged: isSwitched };
    return { app, after: await this.settings.update(tx, id, change), isChanged: true };
  }

  private check(input: PushConfigUpdate): void {
    if (typeof input.webhook_url === 'string') {
      const fault = judgeTargetUrl(input.webhook_url, this.config.allowPrivateNetworkTargets);
      if (fault) throw InvalidInput.field('webhook_url', fault);
    }
    const account = input.fcm_service_account;
    if (!account) return;
    for (const name of ['project_id', 'client_email', 'private_key']) {
      if (typeof account[name] === 'string' && account[name] !== '') continue;
      throw new InvalidInput([{ loc: ['body', 'fcm_service_account', name], msg: 'Field required', type: 'missing' }]);
    }
  }
}
