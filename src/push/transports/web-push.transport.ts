import { Inject, Injectable } from '@nestjs/common';
import webpush from 'web-push';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { NoAnswerInTime, TargetRefused } from '../../outbound/outbound.errors.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import type { WebPushSubscription } from '../devices/push-token.rules.js';
import type { VapidKeys } from '../settings/push-secrets.js';
import { webPushPayload } from './payload.rules.js';
import { VapidSignatures } from './vapid-signatures.js';
import type { AttemptResponse, OutgoingPush } from './push-transport.js';

/** Web push (RFC 8030): encrypted for the subscription (RFC 8291), signed with the app's VAPID pair (RFC 8292). */
@Injectable()
export class WebPushTransport {
  /** Contact of the operator, for the push service. */
  private readonly contact: string;

  constructor(
    private readonly http: OutboundHttp,
    private readonly signatures: VapidSignatures,
    @Inject(SETTINGS) { baseUrl, mailFrom }: Settings,
  ) {
    const address = /[^\s<>]+@[^\s<>]+/.exec(mailFrom)?.[0];
    this.contact = baseUrl.startsWith('https:') || !address ? baseUrl : `mailto:${address}`;
  }

  async send(push: OutgoingPush, to: WebPushSubscription, vapid: VapidKeys | null): Promise<AttemptResponse> {
    if (!vapid) return { kind: 'not_sent', error: 'not_configured' };
    const request = this.encrypt(push, to, vapid);
    if (!request) return { kind: 'not_sent', error: 'rejected' };
    const { host } = new URL(to.endpoint);
    try {
      const { status, retryAfter } = await this.http.post(to.endpoint, request.headers, request.body);
      if (status >= 200 && status < 300) return { kind: 'taken' };
      if (status === 404 || status === 410) return { kind: 'gone' };
      return { kind: 'refused', status, retryAfter, host };
    } catch (error) {
      if (error instanceof TargetRefused) return { kind: 'not_sent', error: 'rejected' };
      return { kind: 'unanswered', error: error instanceof NoAnswerInTime ? 'timeout' : 'connection_failed', host };
    }
  }

  /** Null if the subscription's key is not a point of the curve, so that nothing can be encrypted for it. */
  private encrypt(push: OutgoingPush, to: WebPushSubscription, vapid: VapidKeys) {
    try {
      const { headers, body } = webpush.generateRequestDetails(to, webPushPayload(push), {
        headers: { Authorization: this.signatures.header(to.endpoint, this.contact, vapid) },
        TTL: push.ttlSeconds,
        contentEncoding: 'aes128gcm',
      });
      const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      return { headers: Object.fromEntries(texts) as Record<string, string>, body };
    } catch {
      return null;
    }
  }
}
