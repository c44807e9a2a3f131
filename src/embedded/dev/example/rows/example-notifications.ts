import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../../common/randomness.js';
import { hashOpaqueToken } from '../../../../crypto/opaque-token.js';
import { SecretBox } from '../../../../crypto/secret-box.js';
import { type Platform, PLATFORMS, PushDevice } from '../../../../push/devices/push-device.entity.js';
import { sealPushToken } from '../../../../push/devices/sealed-devices.js';
import { NotificationDelivery } from '../../../../push/notifications/notification-delivery.entity.js';
import { Notification } from '../../../../push/notifications/notification.entity.js';
import type { ExampleAppRow, ExampleAccount } from '../plan/example-history.rules.js';
import { ExampleRandom } from '../plan/example-random.js';
import { EXAMPLE_TENANTS, type ExampleApp } from '../plan/example-tenants.js';

const SEED = 20_261_126;
const HOUR_MS = 3600 * 1000;
const TTL_SECONDS = 4 * 3600;
/** Number of notifications per app; the newest is two hours old. */
const NOTIFICATIONS = 24;
const HOURS_BETWEEN = 5;
const DELIVERED_MS = 800;
/** Fractions of the members who have used the app: those with a device, and of these, those with a second device. */
const WITH_DEVICE = 0.6;
const WITH_SECOND_DEVICE = 0.25;
const FAILING = 0.12;

const TEXTS = [
  ['Your booking is confirmed', 'You find the details in the app.'],
  ['A document waits for you', 'Please sign it until Friday.'],
  ['New message', 'The hotel has answered your question.'],
] as const;

type Device = Pick<PushDevice, 'id' | 'userId' | 'platform'>;

/** Example devices and notifications, as if they had been sent. The tokens are invalid. */
@Injectable()
export class ExampleNotifications {
  constructor(
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  async write(
    tx: EntityManager,
    users: readonly ExampleAccount[],
    apps: ReadonlyMap<string, ExampleAppRow>,
    now: Date,
  ): Promise<void> {
    const random = new ExampleRandom(SEED);
    for (const app of EXAMPLE_TENANTS.flatMap((tenant) => tenant.apps).filter(({ webhook }) => webhook !== null)) {
      const { id: appId } = apps.get(app.bundleId)!;
      const devices = users.flatMap((user) => this.devicesOf(user, app, { appId, random, now }));
      await tx.insert(PushDevice, devices);
      const sent = Array.from({ length: NOTIFICATIONS }, (_, index) =>
        this.notification(appId, devices, { random, at: hoursBefore(now, 2 + index * HOURS_BETWEEN) }),
      );
      await tx.insert(
        Notification,
        sent.map(({ notification }) => notification),
      );
      await tx.insert(
        NotificationDelivery,
        sent.flatMap(({ deliveries }) => deliveries),
      );
    }
  }

  private devicesOf(
    { id: userId, memberships, signIns }: ExampleAccount,
    { bundleId }: ExampleApp,
    { appId, random, now }: { readonly appId: string; readonly random: ExampleRandom; readonly now: Date },
  ): PushDevice[] {
    const isMember = memberships.some((each) => each.bundleId === bundleId && each.status === 'active');
    const used = signIns.filter((each) => each.bundleId === bundleId && each.outcome === 'success');
    if (!isMember || used.length === 0 || !random.chance(WITH_DEVICE)) return [];
    const count = random.chance(WITH_SECOND_DEVICE) ? 2 : 1;
    return Array.from({ length: count }, (_, index) => {
      const platform = PLATFORMS[(random.below(PLATFORMS.length) + index) % PLATFORMS.length]!;
      const times = { createdAt: used[0]!.at, lastSeenAt: used.at(-1)!.at };
      const answers = { unanswered: 0, silentUntil: null, silentHost: null };
      return { ...this.device(platform, now), appId, userId, ...times, ...answers };
    });
  }

  private device(platform: Platform, now: Date): Pick<PushDevice, 'id' | 'platform' | 'tokenHash' | 'sealedToken'> {
    const id = this.randomness.uuid();
    const token = `example-${now.getTime()}-${id}`;
    return { id, platform, tokenHash: hashOpaqueToken(token), sealedToken: sealPushToken(this.box, id, token) };
  }

  private notification(
    appId: string,
    devices: readonly Device[],
    { random, at }: { readonly random: ExampleRandom; readonly at: Date },
  ): { readonly notification: Omit<Notification, 'data'>; readonly deliveries: NotificationDelivery[] } {
    const id = this.randomness.uuid();
    const { userId } = random.pick(devices);
    const [title, body] = random.pick(TEXTS);
    const deliveries = devices
      .filter((device) => device.userId === userId)
      .map((device) => this.delivery({ notificationId: id, appId, device, at, isFailed: random.chance(FAILING) }));
    const failed = deliveries.filter(({ status }) => status === 'failed').length;
    const status = failed === 0 ? 'sent' : failed === deliveries.length ? 'failed' : 'partial';
    const expiresAt = new Date(at.getTime() + TTL_SECONDS * 1000);
    const counts = { deviceCount: deliveries.length, deliveredCount: deliveries.length - failed, failedCount: failed };
    const times = { createdAt: at, completedAt: after(at), expiresAt };
    const text = { title, body, ttl: TTL_SECONDS };
    return { notification: { id, appId, userId, status, ...text, ...counts, ...times }, deliveries };
  }

  private delivery({
    notificationId,
    appId,
    device: { id: deviceId, platform },
    at,
    isFailed,
  }: {
    readonly notificationId: string;
    readonly appId: string;
    readonly device: Device;
    readonly at: Date;
    readonly isFailed: boolean;
  }): NotificationDelivery {
    const outcome = isFailed
      ? { status: 'failed' as const, error: 'unregistered' }
      : { status: 'delivered' as const, error: null };
    const id = this.randomness.uuid();
    const times = { nextAttemptAt: at, completedAt: after(at) };
    return { id, notificationId, appId, deviceId, platform, attempts: 1, ...outcome, ...times };
  }
}

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * HOUR_MS);
}

function after(at: Date): Date {
  return new Date(at.getTime() + DELIVERED_MS);
}
