import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { ServiceActor, UserActor } from '../common/actor.js';
import { callerKey } from './counters/counter-keys.rules.js';
import { RateLimited } from './rate-limited.js';

const DETAIL = 'too_many_requests';

/** A request whose token the access guard has accepted. */
interface BearerRequest {
  readonly context: { readonly actor: UserActor | ServiceActor };
}

/**
 * The `admin` limit: every request of a user or service with a bearer token, counted by caller. `SignedInOperators`
 * counts those of the console in the same counter. The access guard calls it after identifying the caller, before it
 * checks authority, so that refused requests count too.
 */
@Injectable()
export class BearerThrottleGuard extends ThrottlerGuard {
  protected override async getTracker(request: Record<string, unknown>): Promise<string> {
    return callerKey((request as unknown as BearerRequest).context.actor);
  }

  /** Readable, because operators list and clear the counters by key; one counter for all routes. */
  protected override generateKey(_context: ExecutionContext, principal: string): string {
    return principal;
  }

  protected override async throwThrottlingException(_: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    throw new RateLimited(DETAIL, detail.timeToBlockExpire);
  }
}
