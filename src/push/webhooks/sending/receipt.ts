import type { Platform } from '../../devices/push-device.entity.js';

export type ReceiptType = 'push.delivered' | 'push.failed' | 'push.expired';

/** The outcome of one delivery, sent to the app's webhook (docs/conventions.md, section 6). */
export interface Receipt {
  readonly type: ReceiptType;
  readonly notificationId: string;
  readonly appId: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly platform: Platform;
  /** `delivered`, `failed` or `expired`. */
  readonly status: string;
  /** One word; null if delivered. */
  readonly error: string | null;
  /** 1 at the first try. */
  readonly attempt: number;
}
