import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
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
    private readonly proofs: ProofTransactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * For the user and app of the token. Tokens for other apps, including Console apps, cannot register a device. If the
   * user has more than {@link MAX_DEVICES_PER_USER} at the app, those that were not seen for the longest time are removed, also
   * when an existing device registers again.
   * @returns the device's id, the same for the same push token
   * @throws InsufficientPermissions, PushNotEnabled, RateLimited, InvalidInput, ProofOutdated
   */
  async register(ctx: RequestContext, input: DeviceRegister): Promise<string> {
    const appId = input.app_id;
    const { client, read, proof } = await this.access.check(ctx.actor, input);
    const tokenHash = hashOpaqueToken(identityOf(input.push_token, read));
    const { userId } = proof;
    const device = { appId, userId, platform: input.platform, tokenHash };
    // A concurrent registration must not remain after a reset or a sign-out everywhere, which remove all devices.
    return this.proofs.run(proof, async (tx) => {
      const { id, news } = await this.devices.register(tx, device, input.push_token);
      const whose = { userId, tenantId: client.app.tenantId, appId };
      if (news !== 'seen') {
        const metadata = { platform: input.platform, moved: news === 'moved' };
        const target = { type: 'device', id } as const;
        await this.audit.record(tx, ctx, 'push.device_registered', { ...whose, target, metadata });
      }
      // The proof has locked the user, so two concurrent registrations cannot exceed the limit.
      for (const { id: gone, platform } of await this.devices.removeBeyond(tx, device)) {
        const target = { type: 'device', id: gone } as const;
        const metadata = { platform, reason: 'too_many' };
        await this.audit.record(tx, ctx, 'push.device_removed', { ...whose, target, metadata });
      }
      return id;
    });
  }
}
