import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { callerKey } from '../../rate-limits/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { WaitingDevice } from '../../tokens/grants/device-authorizations.repository.js';
import { DeviceAuthorizations } from '../../tokens/grants/device-authorizations.service.js';

interface Counter {
  readonly label: 'device_code_failures' | 'device_code_failures_all';
  readonly key: string;
}

/**
 * Codes as users type them. Wrong ones are counted for the network address, for the signed-in user, and for everyone
 * together, because a code is short and many addresses could guess at once (RFC 8628 section 5.1).
 */
@Injectable()
export class DeviceCodes {
  constructor(
    private readonly devices: DeviceAuthorizations,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * The device that shows this code and waits.
   * @param userId of the browser's session, null where there is none
   * @throws RateLimited before looking
   */
  async find({ ip }: RequestContext, userId: string | null, code: string): Promise<WaitingDevice | null> {
    const counters = countersOf(clientAddressKey(ip), userId);
    for (const { label, key } of counters) {
      const { allowed, retryAfter } = await this.limits.peek(label, key);
      if (!allowed) throw this.limits.refusal(label, retryAfter);
    }
    const found = await this.devices.findByUserCode(code);
    if (!found) for (const { label, key } of counters) await this.limits.tryConsume(label, key);
    return found;
  }
}

function countersOf(address: string, userId: string | null): Counter[] {
  return [
    { label: 'device_code_failures', key: address },
    ...(userId === null ? [] : [{ label: 'device_code_failures' as const, key: callerKey(userId) }]),
    { label: 'device_code_failures_all', key: 'everyone' },
  ];
}
