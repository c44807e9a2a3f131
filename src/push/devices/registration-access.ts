import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../common/actor.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import { userKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { PushNotEnabled } from '../errors/push.errors.js';
import type { DeviceRegister } from './push-device.dto.js';
import { readPushToken } from './push-token.rules.js';

/** Whether a device may be registered: by its user's own token, as an active member of an app that uses push. */
@Injectable()
export class RegistrationAccess {
  constructor(
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly limits: RateLimitsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws InsufficientPermissions, PushNotEnabled, RateLimited, InvalidInput */
  async check(actor: Actor, input: DeviceRegister) {
    const appId = input.app_id;
    if (actor.type !== 'user' || actor.audience !== appId || actor.credentialsVersion === undefined)
      throw new InsufficientPermissions();
    const client = await this.directory.findOpen(appId);
    const enrollment = await this.enrollment.find(actor.userId, appId);
    if (!client || enrollment?.status !== 'active') throw new InsufficientPermissions();
    if (!client.app.pushEnabled) throw new PushNotEnabled();
    const read = readPushToken(input.platform, input.push_token, this.settings.allowPrivateNetworkTargets);
    if ('fault' in read) throw InvalidInput.field('push_token', read.fault);
    // Another app, possibly of another tenant, must not use up the limit for this app and user.
    await this.limits.consume('device_register', userKey(actor.userId, appId));
    return { client, read, proof: { userId: actor.userId, credentialsVersion: actor.credentialsVersion } };
  }
}
