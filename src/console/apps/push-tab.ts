import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { FormError } from '../../common/pages/form-error.js';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { PushDevicesService } from '../../push/devices/push-devices.service.js';
import { NotificationLog } from '../../push/notifications/notification-log.service.js';
import { PushQuota } from '../../push/quota/push-quota.service.js';
import { PushSettingsService } from '../../push/settings/push-settings.service.js';
import type { ConsoleRequest, Fields } from '../frame/console-request.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { DEVICE_COLUMNS, deviceRow, NOTIFICATION_COLUMNS, NOTIFICATION_STATES, notificationRow } from './push-rows.js';

/** Rows of each list on the tab itself; the whole lists are pages of their own. */
const NEWEST = { page: 1, limit: 5 };

/** How an app notifies people: its settings, and what became of what it sent. */
@Injectable()
export class PushTab {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly devices: PushDevicesService,
    private readonly log: NotificationLog,
    private readonly quota: PushQuota,
    private readonly enrollment: EnrollmentService,
    private readonly pages: AppPages,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly installation: Settings,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async askToRemoveAccount(consoleRequest: ConsoleRequest, response: Response, appId: string): Promise<void> {
    const { app } = await this.settings.get(consoleRequest.ctx, appId);
    const devices = await this.devices.countReachedByFcm(appId);
    await this.pages.ask(consoleRequest, response, app, 'push', {
      title: `Remove the Firebase account of ${app.name}?`,
      lead: 'It is deleted and cannot be shown or brought back; to have it again, paste the file from the Firebase console.',
      impact: [
        { label: 'Android and iOS devices', value: devices.toLocaleString('en') },
        {
          label: 'They are notified with',
          value: this.installation.fcmServiceAccount
            ? 'The account of this installation, which reaches them only if it is of the same Firebase project'
            : 'Nothing: notifications to them fail',
        },
      ],
      action: appPath(app, 'push', '/firebase/remove'),
      button: 'Remove the account',
    });
  }

  /**
   * @param fields what was typed into the settings and not taken; null: what holds
   * @throws AppNotFound, InsufficientPermissions
   */
  async show(
    consoleRequest: ConsoleRequest,
    response: Response,
    appId: string,
    fields: Fields | null = null,
    errors: readonly FormError[] = [],
  ): Promise<void> {
    const settings = await this.settings.get(consoleRequest.ctx, appId);
    const [used, devices, latest, counts, own] = await Promise.all([
      this.quota.usedToday(appId),
      this.devices.list(consoleRequest.ctx, appId, NEWEST),
      this.log.list(consoleRequest.ctx, appId, NEWEST),
      this.log.countLastDay(consoleRequest.ctx, appId),
      this.enrollment.find(consoleRequest.actor.userId, appId),
    ]);
    const now = this.clock.now();
    const { app } = settings;
    await this.pages.show(consoleRequest, response, app, {
      tab: 'push',
      errors,
      model: {
        isOn: app.pushEnabled,
        enabled: fields ? fields['enabled'] === 'on' : app.pushEnabled,
        dailyQuota: fields?.['daily_quota'] ?? String(settings.dailyQuota),
        used,
        quota: settings.dailyQuota,
        vapidKey: settings.vapid?.publicKey ?? null,
        hasFirebase: settings.fcm !== null,
        hasOwnFirebase: settings.hasOwnFcm,
        mayTest: app.pushEnabled && own?.status === 'active',
        deviceCount: devices.total,
        deviceColumns: DEVICE_COLUMNS,
        devices: devices.devices.map((device) => deviceRow(device, now)),
        counts: Object.entries(NOTIFICATION_STATES).flatMap(([status, { text }]) => {
          const count = counts.get(status as keyof typeof NOTIFICATION_STATES) ?? 0;
          return count > 0 ? [{ text, count, href: `?status=${status}` }] : [];
        }),
        notificationColumns: NOTIFICATION_COLUMNS,
        notifications: latest.notifications.map((each) => notificationRow(app, each, now)),
      },
    });
  }
}
