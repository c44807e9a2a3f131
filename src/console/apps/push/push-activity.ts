import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { PushDevicesService } from '../../../push/devices/push-devices.service.js';
import { NotificationLog } from '../../../push/notifications/notification-log.service.js';
import { PushQuota } from '../../../push/quota/push-quota.service.js';
import { PushUsersReader } from './push-users.js';

/** Rows of each list on the tab. The complete lists have their own pages. */
const NEWEST = { page: 1, limit: 5 };

/** The latest notifications of an app, and its devices. */
@Injectable()
export class PushActivity {
  constructor(
    private readonly devices: PushDevicesService,
    private readonly log: NotificationLog,
    private readonly quota: PushQuota,
    private readonly users: PushUsersReader,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions */
  async read(ctx: RequestContext, appId: string) {
    const [used, devices, latest, counts] = await Promise.all([
      this.quota.usedToday(appId),
      this.devices.list(ctx, appId, NEWEST),
      this.log.list(ctx, appId, NEWEST),
      this.log.countLastDay(ctx, appId),
    ]);
    const users = await this.users.of(appId, [...devices.devices, ...latest.notifications]);
    return { used, devices, latest, counts, users };
  }
}
