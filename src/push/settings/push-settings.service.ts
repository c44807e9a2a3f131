import { Inject, Injectable } from '@nestjs/common';
import webpush from 'web-push';
import { AppDirectory } from '../../apps/app-directory.js';
import type { App } from '../../apps/app.entity.js';
import { AppsService } from '../../apps/apps.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { type FcmServiceAccount, SETTINGS, type Settings } from '../../config/settings.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import { judgeTargetUrl } from '../../outbound/target-url.rules.js';
import type { PushConfigUpdate } from './push-settings.dto.js';
import { DEFAULT_DAILY_QUOTA, type PushSettings } from './push-settings.entity.js';
import { PushSettingsRepository } from './push-settings.repository.js';
import { newWebhookSecret } from './webhook-secret.js';

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** An app's push settings with decrypted secrets. */
export interface OpenPushSettings {
  readonly app: App;
  readonly dailyQuota: number;
  readonly webhookUrl: string | null;
  readonly webhookSecret: string | null;
  readonly webhookDisabled: boolean;
  readonly vapid: VapidKeys | null;
  /** The app's own, else the platform's. */
  readonly fcm: FcmServiceAccount | null;
  readonly hasOwnFcm: boolean;
}

/** The push settings of an app: quota, webhook, VAPID pair, Firebase account. */
@Injectable()
export class PushSettingsService {
  constructor(
    private readonly settings: PushSettingsRepository,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly box: SecretBox,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly config: Settings,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async get(ctx: RequestContext, appId: string): Promise<OpenPushSettings> {
    return this.open(await this.apps.getAdministered(ctx, appId), await this.settings.find(appId));
  }

  /** For delivery: without an authority check. */
  async of(app: App): Promise<OpenPushSettings> {
    return this.open(app, await this.settings.find(app.id));
  }

  /**
   * Any subset. Enabling push for the first time creates the webhook secret and the VAPID pair, which then stay: browsers are
   * subscribed to the one, receivers know the other.
   * @throws AppNotFound, InsufficientPermissions, InvalidInput for an address that the service would not call
   */
  async update(ctx: RequestContext, appId: string, input: PushConfigUpdate): Promise<OpenPushSettings> {
    this.check(input);
    const updated = await this.transactions.run(async (tx) => {
      const governed = await this.apps.getAdministered(ctx, appId, tx);
      const before = await this.settings.lock(tx, appId);
      const app = input.enabled === undefined ? governed : await this.apps.switchPush(tx, governed.id, input.enabled);
      const change: Partial<PushSettings> = {
        ...(input.enabled ? this.firstSecrets(before) : {}),
        ...(input.webhook_url === undefined
          ? {}
          : { webhookUrl: input.webhook_url, webhookDisabledAt: null, webhookFailureToldAt: null }),
        ...(input.daily_quota === undefined ? {} : { dailyQuota: input.daily_quota }),
        ...(input.fcm_service_account === undefined ? {} : this.sealedAccount(appId, input.fcm_service_account)),
      };
      const after = await this.settings.update(tx, appId, change);
      await this.audit.record(tx, ctx, 'push.config_changed', {
        tenantId: app.tenantId,
        appId,
        target: { type: 'app', id: appId },
        metadata: { fields: Object.keys(input).filter((name) => input[name as keyof PushConfigUpdate] !== undefined) },
      });
      return { app, after };
    });
    this.directory.forget();
    return this.open(updated.app, updated.after);
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

  private firstSecrets(before: PushSettings): Partial<PushSettings> {
    const { appId } = before;
    const made: Partial<PushSettings> = {};
    if (!before.sealedWebhookSecret) {
      made.sealedWebhookSecret = this.box.seal(
        newWebhookSecret(this.randomness),
        aadOfPushSetting(appId, 'webhook_secret'),
      );
    }
    if (!before.vapidPublicKey) {
      const { publicKey, privateKey } = webpush.generateVAPIDKeys();
      made.vapidPublicKey = publicKey;
      made.sealedVapidPrivateKey = this.box.seal(privateKey, aadOfPushSetting(appId, 'vapid_private_key'));
    }
    return made;
  }

  private sealedAccount(appId: string, account: Record<string, unknown> | null): Partial<PushSettings> {
    if (account === null) return { sealedFcmAccount: null };
    // Not token_uri: only the operator decides which address the service gets its tokens from.
    const { project_id, client_email, private_key } = account;
    const kept = JSON.stringify({ project_id, client_email, private_key });
    return { sealedFcmAccount: this.box.seal(kept, aadOfPushSetting(appId, 'fcm_account')) };
  }

  private open(app: App, row: PushSettings | null): OpenPushSettings {
    const { id } = app;
    const opened = (sealed: string | null | undefined, what: SealedSetting) =>
      sealed ? this.box.open(sealed, aadOfPushSetting(id, what)) : null;
    const privateKey = opened(row?.sealedVapidPrivateKey, 'vapid_private_key');
    const account = opened(row?.sealedFcmAccount, 'fcm_account');
    return {
      app,
      dailyQuota: row?.dailyQuota ?? DEFAULT_DAILY_QUOTA,
      webhookUrl: row?.webhookUrl ?? null,
      webhookSecret: opened(row?.sealedWebhookSecret, 'webhook_secret'),
      webhookDisabled: row !== null && row.webhookDisabledAt !== null,
      vapid: row?.vapidPublicKey && privateKey ? { publicKey: row.vapidPublicKey, privateKey } : null,
      hasOwnFcm: account !== null,
      fcm: account ? (JSON.parse(account) as FcmServiceAccount) : this.config.fcmServiceAccount,
    };
  }
}

export type SealedSetting = 'webhook_secret' | 'previous_webhook_secret' | 'vapid_private_key' | 'fcm_account';

/** Additional data of an encrypted setting. */
export function aadOfPushSetting(appId: string, what: SealedSetting): string {
  return `push_settings:${appId}:${what}`;
}
