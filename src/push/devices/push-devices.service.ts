import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/app-directory.js';
import { AppsService } from '../../apps/apps.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { InsufficientPermissions, NotAuthenticated } from '../../common/http/http.refusals.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../users/users.service.js';
import { DeviceNotFound, PushNotEnabled } from '../errors/push.errors.js';
import type { DeviceRegister } from './push-device.dto.js';
import type { PushDevice } from './push-device.entity.js';
import { PushDevicesRepository } from './push-devices.repository.js';
import { identityOf, readPushToken } from './push-token.rules.js';

/** Which devices receive an app's notifications, and for which user. */
@Injectable()
export class PushDevicesService {
  constructor(
    private readonly devices: PushDevicesRepository,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly users: UsersService,
    private readonly limits: RateLimitsService,
    private readonly box: SecretBox,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * For the user and app of the token. Tokens for other apps, including Console apps, cannot register a device.
   * @returns the device's id, the same one for the same push token
   * @throws InsufficientPermissions, PushNotEnabled, RateLimited, InvalidInput
   */
  async register(ctx: RequestContext, input: DeviceRegister): Promise<string> {
    const { actor } = ctx;
    const appId = input.app_id;
    if (actor.type !== 'user' || actor.audience !== appId) throw new InsufficientPermissions();
    const known = await this.directory.findOpen(appId);
    const enrollment = await this.enrollment.find(actor.userId, appId);
    if (!known || enrollment?.status !== 'active') throw new InsufficientPermissions();
    if (!known.app.pushEnabled) throw new PushNotEnabled();
    const read = readPushToken(input.platform, input.push_token, this.settings.allowPrivateNetworkTargets);
    if ('fault' in read) throw InvalidInput.field('push_token', read.fault);
    await this.limits.consume('device_register', actor.userId);
    const tokenHash = hashOpaqueToken(identityOf(input.push_token, read));
    const row = { id: this.randomness.uuid(), appId, userId: actor.userId, platform: input.platform, tokenHash };
    return this.transactions.run(async (tx) => {
      // Otherwise, a registration in progress would survive a reset that removes all devices.
      if (!(await this.users.holdsToken(tx, actor.userId, actor.signedInAtMs ?? 0)))
        throw new NotAuthenticated('Invalid token');
      const { id, news } = await this.devices.register(tx, row, (deviceId) =>
        this.box.seal(input.push_token, aadOfPushToken(deviceId)),
      );
      if (news !== 'seen') {
        await this.audit.record(tx, ctx, 'push.device_registered', {
          userId: actor.userId,
          tenantId: known.app.tenantId,
          appId,
          target: { type: 'device', id },
          metadata: { platform: input.platform, moved: news === 'moved' },
        });
      }
      return id;
    });
  }

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
      const app = await this.apps.find(device.appId);
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

  /** @throws AppNotFound, InsufficientPermissions */
  async list(ctx: RequestContext, appId: string, page: { limit: number; page: number }) {
    await this.apps.getAdministered(ctx, appId);
    return this.devices.list(appId, page.limit, page.page);
  }

  count(appId: string): Promise<number> {
    return this.devices.count(appId);
  }

  /** Those on Android and iOS. */
  countReachedByFcm(appId: string): Promise<number> {
    return this.devices.count(appId, ['android', 'ios']);
  }

  listOfUser(userId: string): Promise<PushDevice[]> {
    return this.devices.listOfUser(userId);
  }

  /** The push token itself, for delivery. */
  openSealed(deviceId: string, sealedToken: string): string {
    return this.box.open(sealedToken, aadOfPushToken(deviceId));
  }

  /** The provider reports that the token is no longer valid. Ignored if it has been registered again since. */
  async forget(tx: EntityManager, deviceId: string, sealedToken: string): Promise<void> {
    await tx.query('DELETE FROM push_devices WHERE id = $1 AND sealed_token = $2', [deviceId, sealedToken]);
  }
}

/** Additional data of an encrypted push token. */
export function aadOfPushToken(deviceId: string): string {
  return `push_devices:${deviceId}`;
}
