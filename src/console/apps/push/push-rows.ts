import type { App } from '../../../apps/app/app.entity.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { type ListedDevice, MAX_COUNTED_DEVICES } from '../../../push/devices/push-devices.repository.js';
import type { DeliveryStatus, NotificationDelivery } from '../../../push/notifications/notification-delivery.entity.js';
import type { Notification, NotificationStatus } from '../../../push/notifications/notification.entity.js';
import { column } from '../../frame/lists/table-column.js';
import { appPath } from '../page/app-tabs.js';
import type { PushUsers } from './push-users.js';

export const DEVICE_COLUMNS = [
  column('User'),
  column('Device', { className: 'col-id' }),
  column('Platform'),
  column('Last seen'),
];
export const NOTIFICATION_COLUMNS = [
  column('User'),
  column('Notification', { className: 'col-id' }),
  column('State'),
  column('Devices', { className: 'number' }),
  column('Delivered', { className: 'number' }),
  column('Failed', { className: 'number' }),
  column('Sent'),
];
export const NOTIFICATION_STATES: Readonly<Record<NotificationStatus, { text: string; tone: string }>> = {
  queued: { text: 'Queued', tone: 'info' },
  sent: { text: 'Delivered', tone: 'plain' },
  partial: { text: 'Partially delivered', tone: 'off' },
  failed: { text: 'Failed', tone: 'bad' },
  no_devices: { text: 'No devices', tone: 'neutral' },
  expired: { text: 'Expired', tone: 'bad' },
};
const DELIVERY_STATES: Readonly<Record<DeliveryStatus, { text: string; tone: string }>> = {
  queued: { text: 'Queued', tone: 'info' },
  delivered: { text: 'Delivered', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  expired: { text: 'Expired', tone: 'bad' },
};
const CAPTURED = { text: 'Captured (dev)', tone: 'info' };
const PLATFORMS = { web: 'Web', ios: 'iOS', android: 'Android' } as const;

export function isNotificationStatus(value: unknown): value is NotificationStatus {
  return typeof value === 'string' && Object.hasOwn(NOTIFICATION_STATES, value);
}

function userOf(users: PushUsers, userId: string) {
  const { displayName: name = null, email = '' } = users.get(userId) ?? {};
  return { userId, name, email, href: `/console/users/${userId}` };
}

export function deviceRow({ id, platform, userId, lastSeenAt }: ListedDevice, users: PushUsers, now: Date) {
  return {
    id,
    platform: PLATFORMS[platform],
    user: userOf(users, userId),
    lastSeen: timeInWords(lastSeenAt, now),
  };
}

/** Without the content, which is between the app and the user. */
export function notificationRow(app: Pick<App, 'id'>, notification: Notification, users: PushUsers, now: Date) {
  const { id, userId, status, deviceCount, deliveredCount, failedCount, createdAt } = notification;
  return {
    id,
    href: appPath(app, 'push', `/notifications/${id}`),
    user: userOf(users, userId),
    state: NOTIFICATION_STATES[status],
    deviceCount,
    deliveredCount,
    failedCount,
    sent: timeInWords(createdAt, now),
  };
}

/** @param isCaptured true if it went to the mailbox of the embedded mode instead of a device */
export function deliveryRow(
  { deviceId, platform, status, attempts, error, completedAt }: NotificationDelivery,
  isCaptured: boolean,
  now: Date,
) {
  return {
    deviceId,
    platform: PLATFORMS[platform],
    state: isCaptured ? CAPTURED : DELIVERY_STATES[status],
    attempts,
    error: error ?? '',
    ended: completedAt ? timeInWords(completedAt, now) : null,
  };
}

/** @param count as counted, so up to `MAX_COUNTED_DEVICES` */
export function deviceCountInWords(count: number): string {
  return count < MAX_COUNTED_DEVICES
    ? count.toLocaleString('en')
    : `${MAX_COUNTED_DEVICES.toLocaleString('en')} or more`;
}
