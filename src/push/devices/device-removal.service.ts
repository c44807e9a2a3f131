import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { DeviceNotFound } from '../errors/push.errors.js';
import { PushDevicesRepository } from './push-devices.repository.js';

/** Removes a device, for its owner or the app's server. */
@Injectable()
export class DeviceRemovalService {
  constructor(
    private readonly devices: PushDevicesRepository,
    private readonly apps: AppsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** Users remove their own devices, service tokens any device of the app. @throws DeviceNotFound */
  async remove(ctx: RequestContext, id: string): Promise<void> {
    const { actor } = ctx;
    await this.transactions.run(async (tx) => {
      const device = await this.devices.find(id, tx);
      const isTheirs =
        actor.type === 'user'
          ? device?.userId === actor.userId && device.appId === actor.audience
          : actor.type === 'service' && device?.appId === actor.appId;
      if (!device || !isTheirs) throw new DeviceNotFound();
      const app = await this.apps.find(device.appId, tx);
      if (!(await this.devices.remove(tx, id))) throw new DeviceNotFound();
      await this.audit.record(tx, ctx, 'push.device_removed', {
        userId: device.userId,
        tenantId: app?.tenantId,
        appId: device.appId,
        target: { type: 'device', id },
        metadata: { platform: device.platform },
      });
    });
  }
}
