import { Injectable, Logger } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { userKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { WaitingDevice } from '../../tokens/grants/device/device-authorizations.repository.js';
import { DeviceAuthorizations } from '../../tokens/grants/device/device-authorizations.service.js';

const COUNTED = 'device_code_failures';
const ALARM = 'device_code_failures_all';

/**
 * Codes that users type. Wrong ones are counted by network address and by signed-in user, because a code is short (RFC
 * 8628 section 5.1). The count over all users only raises an alarm and refuses no request: otherwise an attacker with a
 * thousand addresses could prevent all users from approving devices (docs/decisions/0072).
 */
@Injectable()
export class DeviceCodes {
  private readonly logger = new Logger(DeviceCodes.name);

  constructor(
    private readonly devices: DeviceAuthorizations,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * The pending device with this code.
   * @param userId of the browser's session, null if there is none
   * @throws RateLimited before the lookup
   */
  async find({ ip }: RequestContext, userId: string | null, code: string): Promise<WaitingDevice | null> {
    const keys = [clientAddressKey(ip), ...(userId === null ? [] : [userKey(userId, null)])];
    const found = await this.limits.whileLeft(COUNTED, keys, async (countFailure) => {
      const device = await this.devices.findByUserCode(code);
      if (!device) countFailure();
      return device;
    });
    if (!found) await this.countOfAll();
    return found;
  }

  /** Once per window. */
  private async countOfAll(): Promise<void> {
    const before = await this.limits.peek(ALARM, 'everyone');
    await this.limits.tryConsume(ALARM, 'everyone');
    const after = await this.limits.peek(ALARM, 'everyone');
    if (before.allowed && !after.allowed)
      this.logger.warn('Many wrong codes of devices, from many addresses (device_code_failures_all)');
  }
}
