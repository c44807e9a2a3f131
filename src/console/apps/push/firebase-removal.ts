import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { PushDevicesService } from '../../../push/devices/push-devices.service.js';
import { PushSettingsService } from '../../../push/settings/push-settings.service.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';

/** Asks before the Firebase account of an app is removed. */
@Injectable()
export class FirebaseRemoval {
  constructor(
    private readonly settings: PushSettingsService,
    private readonly devices: PushDevicesService,
    private readonly pages: AppPages,
    @Inject(SETTINGS) private readonly installation: Settings,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async ask(consoleRequest: ConsoleRequest, response: Response, appId: string): Promise<void> {
    const { app } = await this.settings.get(consoleRequest.ctx, appId);
    const devices = await this.devices.countReachedByFcm(appId);
    await this.pages.ask(consoleRequest, response, app, 'push', {
      title: `Remove the Firebase account of ${app.name}?`,
      lead: 'The account is deleted and cannot be restored. To use it again, paste the file from the Firebase console.',
      impact: [
        {
          label: 'Android and iOS devices',
          value: devices?.toLocaleString('en') ?? 'Not counted, because the app has too many devices',
        },
        {
          label: 'Notified with',
          value: this.installation.fcmServiceAccount
            ? 'The account of this installation, if it belongs to the same Firebase project'
            : 'No account: notifications to them fail',
        },
      ],
      action: appPath(app, 'push', '/firebase/remove'),
      button: 'Remove account',
    });
  }
}
