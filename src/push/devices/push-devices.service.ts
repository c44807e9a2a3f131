import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { PushDevice } from './push-device.entity.js';
import { PushDevicesRepository, type UnansweredAttempt } from './push-devices.repository.js';

/** The devices that receive an app's notifications, and their users. */
@Injectable()
export class PushDevicesService {
  constructor(
    private readonly devices: PushDevicesRepository,
    private readonly apps: AppsService,
  ) {}

  /** @param userIds of these users only @throws AppNotFound, InsufficientPermissions */
  async list(ctx: RequestContext, appId: string, page: { limit: number; page: number }, userIds?: readonly string[]) {
    await this.apps.getAdministered(ctx, appId);
    return this.devices.list(appId, page, userIds);
  }

  /** Up to `MAX_COUNTED_DEVICES`. */
  count(appId: string): Promise<number> {
    return this.devices.count(appId);
  }

  /** Number of devices on Android and iOS; null: the app has too many devices for that. */
  countReachedByFcm(appId: string): Promise<number | null> {
    return this.devices.countOf(appId, ['android', 'ios']);
  }

  listOfUser(userId: string): Promise<PushDevice[]> {
    return this.devices.listOfUser(userId);
  }

  /** Pauses a device after several consecutive attempts without an answer, for a growing time (docs/decisions/0097). */
  async noteSilence(tx: EntityManager, attempts: readonly UnansweredAttempt[]): Promise<void> {
    if (attempts.length > 0) await this.devices.noteSilence(tx, attempts);
  }

  /** The provider reports that the token is no longer valid. Ignored if it has been registered again since. */
  async forget(tx: EntityManager, deviceId: string, sealedToken: string): Promise<void> {
    await tx.query('DELETE FROM push_devices WHERE id = $1 AND sealed_token = $2', [deviceId, sealedToken]);
  }
}
