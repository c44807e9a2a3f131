import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { type AuditSubject, AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { RevokedWithUser, type RevocationReason } from '../../users/revoked-with-user.js';
import { DeviceNotFound } from '../errors/push.errors.js';
import type { PushDevice } from './push-device.entity.js';
import { PushDevicesRepository, type RemovedDevice } from './push-devices.repository.js';

/** The devices of one user in all apps: users list and remove their own, and ending all sessions removes them. */
@Injectable()
export class UserDevices extends RevokedWithUser {
  constructor(
    private readonly devices: PushDevicesRepository,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {
    super();
  }

  /** Last seen first. */
  list(userId: string): Promise<PushDevice[]> {
    return this.devices.listOfUser(userId);
  }

  /** @throws DeviceNotFound also for another user's device */
  async remove(ctx: RequestContext, userId: string, id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const device = await this.devices.removeOf(tx, userId, id);
      if (!device) throw new DeviceNotFound();
      await this.audit.record(tx, ctx, 'push.device_removed', await this.subjectOf(device, 'account_page'));
    });
  }

  /** A device that another user has registered in this user's name must get no more notifications. */
  async revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    const removed = await this.devices.removeAllOf(tx, userId);
    const subjects = await Promise.all(removed.map((device) => this.subjectOf(device, reason)));
    if (subjects.length > 0) await this.audit.recordAll(tx, ctx, 'push.device_removed', subjects);
  }

  private async subjectOf(
    { id, userId, appId, platform }: RemovedDevice,
    reason: RevocationReason | 'account_page',
  ): Promise<AuditSubject> {
    const client = await this.directory.find(appId);
    const metadata = { platform, reason };
    return { userId, tenantId: client?.tenant.id, appId, target: { type: 'device', id }, metadata };
  }
}
