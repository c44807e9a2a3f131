import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { NetworkLimitGuard, NETWORK_LIMIT } from './network-limit.guard.js';
import type { UserLimitLabel } from './counters/counter-keys.rules.js';
import type { RateLimitLabel } from './counters/rate-limit.rules.js';

/** Counts every request of the route by network address, before anything is read or written for it. */
export function NetworkLimit(label: Exclude<RateLimitLabel, UserLimitLabel>): MethodDecorator {
  return applyDecorators(
    SetMetadata(NETWORK_LIMIT, label),
    UseGuards(NetworkLimitGuard),
    ApiTooManyRequestsResponse({ description: '`too_many_requests`, with Retry-After; browsers get a page' }),
  );
}
