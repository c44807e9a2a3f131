import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { PushDevicesService } from '../../push/devices/push-devices.service.js';
import { PushSettingsService } from '../../push/settings/push-settings.service.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';

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
}
