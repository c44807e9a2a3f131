import { Injectable } from '@nestjs/common';
import { type Message, message, type Text } from '../../../common/i18n/message.js';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { Clock } from '../../../common/clock.js';
import { type TimeInWords, timeInWords } from '../../../common/pages/time-in-words.js';
import { UserDevices } from '../../../push/devices/user-devices.service.js';
import type { Platform } from '../../../push/devices/push-device.entity.js';

const PLATFORM_WORDS: Readonly<Record<Platform, Message>> = {
  web: message('account.devices.web'),
  ios: message('account.devices.ios'),
  android: message('account.devices.android'),
};

export interface DeviceRow {
  readonly id: string;
  readonly app: Text;
  readonly platform: Text;
  readonly since: TimeInWords;
  readonly lastSeen: TimeInWords;
}

/** Rows of the card with the devices that get push messages. */
@Injectable()
export class AccountDevices {
  constructor(
    private readonly devices: UserDevices,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  async list(userId: string): Promise<DeviceRow[]> {
    const now = this.clock.now();
    return Promise.all(
      (await this.devices.list(userId)).map(async ({ id, appId, platform, createdAt, lastSeenAt }) => ({
        id,
        app: (await this.directory.findOfAnyOrigin(appId))?.app.name ?? message('account.an_app'),
        platform: PLATFORM_WORDS[platform],
        since: timeInWords(createdAt, now),
        lastSeen: timeInWords(lastSeenAt, now),
      })),
    );
  }
}
