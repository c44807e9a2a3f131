import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../delivery/periodic/purge-job.js';
import { PushDevicesRepository } from './devices/push-devices.repository.js';
import { NotificationsRepository } from './notifications/notifications.repository.js';
import { PushQuota } from './quota/push-quota.service.js';
import { PushReplies } from './notifications/sending/push-replies.service.js';

/** How long a notification is kept after its end: as long as the longest ttl. */
const KEPT = '30 days';

/** Removes ended notifications, expired idempotency keys, the quota of past days and devices that were not seen for long. */
@Injectable()
export class PushPurge extends PurgeJob {
  override readonly name = 'push.purge';

  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly replies: PushReplies,
    private readonly quota: PushQuota,
    private readonly devices: PushDevicesRepository,
  ) {
    super();
  }

  protected override purges() {
    return [
      () => this.notifications.purge(KEPT),
      () => this.notifications.purgeBatches(KEPT),
      () => this.replies.purge(),
      () => this.quota.purge(),
      () => this.devices.purge(),
    ];
  }
}
