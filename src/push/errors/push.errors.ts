import { Refusal, type RefusalExtras } from '../../common/refusal.js';

export class PushNotEnabled extends Refusal {
  constructor() {
    super('forbidden', 'Push not enabled');
  }
}

/** Saving the setting again, or the right SECRET_KEY, solves it. */
export class PushSecretUnreadable extends Refusal {
  /** @param setting name in `unreadable_secrets` of the push settings */
  constructor(setting: string) {
    super('unavailable', `Push setting cannot be decrypted: ${setting}`);
  }
}

export class DeviceNotFound extends Refusal {
  constructor() {
    super('not_found', 'Device not found');
  }
}

/** The same answer for unknown, unenrolled and suspended users and those of other tenants. */
export class UserNotEnrolled extends Refusal {
  /** @param index of the item, if a list was sent */
  constructor(index?: number) {
    super('bad_request', 'User not enrolled', besideOf(index));
  }
}

export class DataPayloadTooLarge extends Refusal {
  /** @param index of the item, if a list was sent */
  constructor(index?: number) {
    super('bad_request', 'Data payload too large', besideOf(index));
  }
}

function besideOf(index: number | undefined): RefusalExtras {
  return index === undefined ? {} : { beside: { index } };
}

export class DailyQuotaExceeded extends Refusal {
  /** @param retryAfter seconds to midnight UTC */
  constructor(retryAfter: number) {
    super('too_many_requests', 'Daily quota exceeded', { retryAfter });
  }
}

export class NotificationNotFound extends Refusal {
  constructor() {
    super('not_found', 'Notification not found');
  }
}

export class IdempotencyKeyReused extends Refusal {
  constructor() {
    super('conflict', 'This Idempotency-Key was used with a different request. Use a new key');
  }
}

export class WebhookNotConfigured extends Refusal {
  constructor() {
    super('bad_request', 'Webhook not configured');
  }
}

/** The receiver answered 410; saving the address turns it on again. */
export class WebhookIsDisabled extends Refusal {
  constructor() {
    super('conflict', 'Webhook is disabled');
  }
}

export class WebhookMessageNotFound extends Refusal {
  constructor() {
    super('not_found', 'Message not found');
  }
}
