import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { NoAnswerInTime, TargetRefused } from '../../../outbound/outbound.errors.js';
import { OutboundHttp } from '../../../outbound/outbound-http.js';
import { aadOfPushSetting } from '../../settings/push-secrets.js';
import type { LeasedWebhook } from '../messages/webhook-messages.repository.js';
import { errorOf, type WebhookOutcome } from '../messages/webhook-retry.rules.js';
import { webhookHeaders, webhookId } from './webhook-signature.rules.js';

/** Makes one attempt: signs, sends, and returns the outcome. Only status and `Retry-After` of the answer count. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly http: OutboundHttp,
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  async send(message: LeasedWebhook): Promise<WebhookOutcome> {
    const signed = { id: webhookId(message.id), body: message.body };
    const secrets = this.secretsOf(message);
    // Retried as for an unavailable receiver, because the secret can be regenerated in the meantime.
    if (!secrets) return { status: null, retryAfter: null, error: 'secret_unreadable' };
    const headers = webhookHeaders(signed, secrets, this.clock.now());
    try {
      const { status, retryAfter } = await this.http.post(message.url, headers, message.body);
      return { status, retryAfter, error: errorOf(status) };
    } catch (error) {
      return { status: null, retryAfter: null, error: wordFor(error) };
    }
  }

  /** @returns the current secret first; null if it cannot be decrypted */
  private secretsOf({ appId, sealedSecret, sealedPreviousSecret }: LeasedWebhook): string[] | null {
    const secret = this.box.openIfReadable(sealedSecret, aadOfPushSetting(appId, 'webhook_secret'));
    if (secret === null) return null;
    const aad = aadOfPushSetting(appId, 'previous_webhook_secret');
    const previous = sealedPreviousSecret && this.box.openIfReadable(sealedPreviousSecret, aad);
    return previous ? [secret, previous] : [secret];
  }
}

/** Only one word, so that tenants cannot use webhooks to probe for open ports or certificates. */
function wordFor(error: unknown): WebhookOutcome['error'] {
  if (error instanceof TargetRefused) return 'target_refused';
  return error instanceof NoAnswerInTime ? 'timeout' : 'no_answer';
}
