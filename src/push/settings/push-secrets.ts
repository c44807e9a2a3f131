import { Inject, Injectable } from '@nestjs/common';
import webpush from 'web-push';
import type { App } from '../../apps/app/app.entity.js';
import { Randomness } from '../../common/randomness.js';
import { type FcmServiceAccount, SETTINGS, type Settings } from '../../config/settings.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { DEFAULT_DAILY_QUOTA, type PushSettings } from './push-settings.entity.js';
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
  /** The app's own account, otherwise the platform's. */
  readonly fcm: FcmServiceAccount | null;
  readonly hasOwnFcm: boolean;
  /** Stored settings that cannot be decrypted: they are null above until they are set again. */
  readonly unreadable: readonly SealedSetting[];
}

/** The secrets of an app's push settings: creates, encrypts and decrypts them. */
@Injectable()
export class PushSecrets {
  constructor(
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly config: Settings,
  ) {}

  /**
   * Creates secrets that are missing. One that cannot be decrypted is replaced only when push is switched on: while the
   * SECRET_KEY is rotated, another process may have it, and a new VAPID key pair ends all subscriptions of browsers.
   */
  firstSecrets(before: PushSettings, { isSwitchedOn }: { readonly isSwitchedOn: boolean }): Partial<PushSettings> {
    const { appId } = before;
    const isKept = (what: SealedSetting, sealed: string | null): boolean =>
      sealed !== null && (!isSwitchedOn || this.box.openIfReadable(sealed, aadOfPushSetting(appId, what)) !== null);
    const made: Partial<PushSettings> = {};
    if (!isKept('webhook_secret', before.sealedWebhookSecret)) {
      made.sealedWebhookSecret = this.box.seal(
        newWebhookSecret(this.randomness),
        aadOfPushSetting(appId, 'webhook_secret'),
      );
    }
    if (!isKept('vapid_private_key', before.sealedVapidPrivateKey)) {
      const { publicKey, privateKey } = webpush.generateVAPIDKeys();
      made.vapidPublicKey = publicKey;
      made.sealedVapidPrivateKey = this.box.seal(privateKey, aadOfPushSetting(appId, 'vapid_private_key'));
    }
    return made;
  }

  /** Keeps the stored value if it contains the same account. */
  sealedAccount(before: PushSettings, account: Record<string, unknown> | null): Partial<PushSettings> {
    const { appId, sealedFcmAccount: stored } = before;
    if (account === null) return { sealedFcmAccount: null };
    // Without token_uri: only the operator decides from which URL the service gets its tokens.
    const { project_id, client_email, private_key } = account;
    const kept = JSON.stringify({ project_id, client_email, private_key });
    const aad = aadOfPushSetting(appId, 'fcm_account');
    if (stored !== null && this.box.openIfReadable(stored, aad) === kept) return {};
    return { sealedFcmAccount: this.box.seal(kept, aad) };
  }

  open(app: App, row: PushSettings | null): OpenPushSettings {
    const unreadable: SealedSetting[] = [];
    const opened = (sealed: string | null | undefined, what: SealedSetting): string | null => {
      if (!sealed) return null;
      const plain = this.box.openIfReadable(sealed, aadOfPushSetting(app.id, what));
      if (plain === null) unreadable.push(what);
      return plain;
    };
    const privateKey = opened(row?.sealedVapidPrivateKey, 'vapid_private_key');
    const account = opened(row?.sealedFcmAccount, 'fcm_account');
    const webhookSecret = opened(row?.sealedWebhookSecret, 'webhook_secret');
    const hasOwnFcm = Boolean(row?.sealedFcmAccount);
    return {
      app,
      dailyQuota: row?.dailyQuota ?? DEFAULT_DAILY_QUOTA,
      webhookUrl: row?.webhookUrl ?? null,
      webhookSecret,
      webhookDisabled: row !== null && row.webhookDisabledAt !== null,
      vapid: row?.vapidPublicKey && privateKey ? { publicKey: row.vapidPublicKey, privateKey } : null,
      hasOwnFcm,
      // Never uses the platform's account instead of an unreadable one, because the notifications would go to another
      // project.
      fcm: hasOwnFcm ? parseAccount(account) : this.config.fcmServiceAccount,
      unreadable,
    };
  }
}

function parseAccount(account: string | null): FcmServiceAccount | null {
  return account === null ? null : (JSON.parse(account) as FcmServiceAccount);
}

export type SealedSetting = 'webhook_secret' | 'previous_webhook_secret' | 'vapid_private_key' | 'fcm_account';

/** Additional authenticated data of an encrypted setting. */
export function aadOfPushSetting(appId: string, what: SealedSetting): string {
  return `push_settings:${appId}:${what}`;
}
