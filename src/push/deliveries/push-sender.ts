import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { type Platform } from '../devices/push-device.entity.js';
import { readPushToken } from '../devices/push-token.rules.js';
import { PushSecretUnreadable } from '../errors/push.errors.js';
import type { OpenPushSettings } from '../settings/push-secrets.js';
import { PushSink } from '../sink/push-sink.service.js';
import { FcmTransport } from '../transports/fcm/fcm.transport.js';
import { fcmMessage } from '../transports/payload.rules.js';
import type { AttemptResponse, OutgoingPush } from '../transports/push-transport.js';
import { WebPushTransport } from '../transports/web-push.transport.js';

/** The credentials with which an app sends notifications. */
export type SendingSettings = Pick<OpenPushSettings, 'vapid' | 'fcm' | 'unreadable'>;

/** The parts of a delivery that are sent. */
export interface PushToSend {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly platform: Platform;
  readonly notificationId: string;
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly secondsLeft: number;
}

/** Chooses the transport by the kind of token: a push subscription, or a Firebase registration token. */
@Injectable()
export class PushSender {
  constructor(
    private readonly web: WebPushTransport,
    private readonly fcm: FcmTransport,
    private readonly sink: PushSink,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws PushSecretUnreadable if a required secret cannot be decrypted; it may be readable later */
  async send(delivery: PushToSend, token: string, settings: SendingSettings): Promise<AttemptResponse> {
    const { vapid, fcm, unreadable } = settings;
    const { notificationId, title, body, data } = delivery;
    const push = { notificationId, title, body, data, ttlSeconds: Math.max(0, Math.round(delivery.secondsLeft)) };
    const to = readPushToken(delivery.platform, token, this.settings.allowPrivateNetworkTargets);
    if ('fault' in to) return { kind: 'not_sent', error: 'rejected' };
    const needed = to.kind === 'web' ? 'vapid_private_key' : 'fcm_account';
    if (unreadable.includes(needed)) throw new PushSecretUnreadable(needed);
    if (to.kind === 'web') return this.web.send(push, to.subscription, vapid);
    const answer = await this.fcm.send(push, token, fcm);
    const isSink = this.settings.embedded && answer.kind === 'not_sent' && answer.error === 'not_configured';
    return isSink ? this.capture(delivery, push) : answer;
  }

  /** Without a Firebase account, the embedded mode captures the notification. */
  private async capture(delivery: PushToSend, push: OutgoingPush): Promise<AttemptResponse> {
    const { id, appId, userId, deviceId, notificationId } = delivery;
    const { token: _, ...payload } = fcmMessage(push, '-', this.clock.now()) as { token: string };
    await this.sink.keep({ id, appId, userId, deviceId, notificationId, payload });
    return { kind: 'taken' };
  }
}
