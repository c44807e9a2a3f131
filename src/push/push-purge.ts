import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../delivery/periodic/periodic-job.js';
import { PushDevicesRepository } from './devices/push-devices.repository.js';
import { NotificationsRepository } from './notifications/notifications.repository.js';
import { PushQuota } from './quota/push-quota.service.js';
import { PushReplies } from './notifications/sending/push-replies.service.js';

/** How long a notification is kept after its end: as long as the longest ttl. */
const KEPT_DAYS = 30;

/** Removes ended notifications, expired idempotency keys, the quota of past days and devices that were not seen for long. */
@Injectable()
export class PushPurge extends PeriodicJob {
  readonly name = 'push.purge';
  readonly everySeconds = 3600;

  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly replies: PushReplies,
    private readonly quota: PushQuota,
    private readonly devices: PushDevicesRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.notifications.purge(KEPT_DAYS);
    await this.replies.purge();
    await this.quota.purge();
    await this.devices.purge();
  }
}
