import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ContextualRequest } from '../common/http/context.decorator.js';
import { clientAddressKey } from './client-address.js';
import type { UserLimitLabel } from './counters/counter-keys.rules.js';
import type { RateLimitLabel } from './counters/rate-limit.rules.js';
import { RateLimitsService } from './rate-limits.service.js';

export const NETWORK_LIMIT = 'network-limit';

/** The guard of {@link NetworkLimit}. Runs after the access guard, which sets the context of the request. */
@Injectable()
export class NetworkLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimitsService,
  ) {}

  /** @throws RateLimited */
  async canActivate(host: ExecutionContext): Promise<boolean> {
    const label = this.reflector.get<Exclude<RateLimitLabel, UserLimitLabel>>(NETWORK_LIMIT, host.getHandler());
    const { context } = host.switchToHttp().getRequest<ContextualRequest>();
    await this.limits.consume(label, clientAddressKey(context.ip));
    return true;
  }
}
