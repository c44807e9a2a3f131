import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { PER_APP_OPTIONS } from '../../delivery/engine/capacity.rules.js';
import { QueueEngine } from '../../delivery/engine/queue-engine.js';
import type { SendableDelivery } from './delivery-attempts.js';
import { DeliveryWork } from './delivery-work.js';

/** Deliveries, in one queue per app: one app's slow provider does not delay another app's notifications. */
@Injectable()
export class DeliveryQueues extends QueueEngine<SendableDelivery> {
  constructor(
    work: DeliveryWork,
    private readonly directory: AppDirectory,
  ) {
    super(work, PER_APP_OPTIONS);
  }

  /** The tenant, because a tenant can have any number of apps. */
  protected override async ownerOf(appId: string): Promise<string> {
    return (await this.directory.find(appId))?.tenant.id ?? appId;
  }
}
