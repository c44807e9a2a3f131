import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../../audit/audit.service.js';
import { Clock } from '../../../../common/clock.js';
import type { RequestContext } from '../../../../common/request-context.js';
import type { RateLimited } from '../../../../rate-limits/rate-limited.js';
import { RateLimitsService } from '../../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../../users/user.entity.js';
import { SecondFactorLock } from './second-factor-lock.service.js';
import type { AuditedApp } from './audited-app.js';
import { InvalidTotpCode } from '../stored/second-factor.errors.js';

/** Counts the attempts for a second factor, for any purpose. */
@Injectable()
export class SecondFactorTries {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly locks: SecondFactorLock,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Every attempt is counted before it is verified, in a separate store, so that neither concurrent requests nor a
   * rollback bypass the limit; a correct code clears the count. The last wrong one begins a lock, and so does the last
   * of several in a row that are too slow for the window. Otherwise four guesses in each window would never end.
   */
  async counted<T>(
    ctx: RequestContext,
    user: User,
    auditedApp: AuditedApp,
    attempt: (refuse: () => never) => Promise<T>,
  ): Promise<T> {
    const { allowed, retryAfter, remaining } = await this.limits.tryConsume('totp', user.id);
    if (!allowed) throw this.limits.refusal('totp', retryAfter);
    try {
      const result = await attempt(() => {
        throw new InvalidTotpCode();
      });
      await this.locks.end(user.id);
      return result;
    } catch (error) {
      if (error instanceof InvalidTotpCode) {
        await this.audit.recordAlone(ctx, 'totp.failed', { ...auditedApp, userId: user.id, outcome: 'failure' });
        const inARow = await this.limits.tryConsume('totp_failures', user.id);
        // Of several wrong codes at once, one begins the lock.
        if (remaining === 0 || (inARow.allowed && inARow.remaining === 0))
          await this.locks.begin(ctx, user, auditedApp);
      }
      throw error;
    }
  }

  /** For a sign-in that has used up its own attempts. @param over when it ends */
  async tooMany(user: User, over: Date): Promise<RateLimited> {
    const { retryAfter } = await this.limits.peek('totp', user.id);
    const seconds = Math.ceil((over.getTime() - this.clock.now().getTime()) / 1_000);
    return this.limits.refusal('totp', Math.max(retryAfter, seconds, 1));
  }

  /** Number of wrong codes that are still allowed before a lock, and the seconds until it ends if there are none. */
  async left(user: User): Promise<{ tries: number; retryAfter: number }> {
    const { remaining, retryAfter } = await this.limits.peek('totp', user.id);
    const inARow = await this.limits.peek('totp_failures', user.id);
    // Outside a lock, one more code is always accepted.
    return { tries: Math.min(remaining, Math.max(1, inARow.remaining)), retryAfter };
  }
}
