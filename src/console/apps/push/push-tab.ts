import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { FormError } from '../../../common/pages/form-error.js';
import { Clock } from '../../../common/clock.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { PushSettingsService } from '../../../push/settings/push-settings.service.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { PushActivity } from './push-activity.js';
import { AppPages } from '../page/app-pages.js';
import {
  DEVICE_COLUMNS,
  deviceCountInWords,
  deviceRow,
  NOTIFICATION_COLUMNS,
  NOTIFICATION_STATES,
  notificationRow,
} from './push-rows.js';

/** Push settings of an app, and the results of its notifications. */
@Injectable()
export class PushTab {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly activity: PushActivity,
    private readonly enrollment: EnrollmentService,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

  /**
   * @param fields values of a form with errors; null: the current values
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
    const [{ used, devices, latest, counts, users }, own] = await Promise.all([
      this.activity.read(consoleRequest.ctx, appId),
      this.enrollment.find(consoleRequest.actor.userId, appId),
    ]);
    const now = this.clock.now();
    const { app } = settings;
    await this.pages.show(consoleRequest, response, app, {
      tab: 'push',
      errors,
      model: {
        isFirebaseUnreadable: settings.unreadable.includes('fcm_account'),
        isVapidUnreadable: settings.unreadable.includes('vapid_private_key'),
        isOn: app.pushEnabled,
        enabled: fields ? fields['enabled'] === 'on' : app.pushEnabled,
        dailyQuota: fields?.['daily_quota'] ?? String(settings.dailyQuota),
        used,
        quota: settings.dailyQuota,
        vapidKey: settings.vapid?.publicKey ?? null,
        hasFirebase: settings.fcm !== null || settings.hasOwnFcm,
        hasOwnFirebase: settings.hasOwnFcm,
        mayTest: app.pushEnabled && own?.status === 'active',
        deviceCount: deviceCountInWords(devices.total),
        deviceColumns: DEVICE_COLUMNS,
        devices: devices.devices.map((device) => deviceRow(device, users, now)),
        counts: Object.entries(NOTIFICATION_STATES).flatMap(([status, { text }]) => {
          const count = counts.get(status as keyof typeof NOTIFICATION_STATES) ?? 0;
          return count > 0 ? [{ text, count, href: `?status=${status}` }] : [];
        }),
        notificationColumns: NOTIFICATION_COLUMNS,
        notifications: latest.notifications.map((each) => notificationRow(app, each, users, now)),
      },
    });
  }
}
