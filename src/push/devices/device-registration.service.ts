import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import { UsersService } from '../../users/users.service.js';
import { SealedDevices } from './sealed-devices.js';
import { RegistrationAccess } from './registration-access.js';
import type { DeviceRegister } from './push-device.dto.js';
import { identityOf } from './push-token.rules.js';

/** Registers a device for the notifications of an app. */
@Injectable()
export class DeviceRegistrationService {
  constructor(
    private readonly access: RegistrationAccess,
    private readonly devices: SealedDevices,
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * For the user and app of the token. Tokens for other apps, including Console apps, cannot register a device.
   * @returns the device's id, the same one for the same push token
   * @throws InsufficientPermissions, PushNotEnabled, RateLimited, InvalidInput
   */
  async register(ctx: RequestContext, input: DeviceRegister): Promise<string> {
    const appId = input.app_id;
    const { client, read, userId, signedInAtMs } = await this.access.check(ctx.actor, input);
    const tokenHash = hashOpaqueToken(identityOf(input.push_token, read));
    const device = { appId, userId, platform: input.platform, tokenHash };
    return this.transactions.run(async (tx) => {
      // Otherwise, a registration in progress would survive a reset that removes all devices.
      if (!(await this.users.holdsToken(tx, userId, signedInAtMs ?? 0))) throw new NotAuthenticated('Invalid token');
      const { id, news } = await this.devices.register(tx, device, input.push_token);
      if (news !== 'seen') {
        await this.audit.record(tx, ctx, 'push.device_registered', {
          userId,
          tenantId: client.app.tenantId,
          appId,
          target: { type: 'device', id },
          metadata: { platform: input.platform, moved: news === 'moved' },
        });
      }
      return id;
    });
  }
}
