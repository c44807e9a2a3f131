import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { type RateLimitRecord, RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { countersOf } from './user-limits.rules.js';

/** The rate limits of one person: what is counted now, and how to let them in again at once. */
@Injectable()
export class UserLimitsService {
  constructor(
    private readonly users: UsersService,
    private readonly limits: RateLimitsService,
    private readonly audit: AuditService,
  ) {}

  /** @throws UserNotFound */
  async inspect(userId: string): Promise<{ user: User; records: RateLimitRecord[] }> {
    const user = await this.users.get(userId);
    return { user, records: await this.limits.inspect(countersOf(user)) };
  }

  /** Written down first: nobody gets rid of a counter unseen. @throws UserNotFound */
  async clear(ctx: RequestContext, userId: string): Promise<void> {
    const { user, records } = await this.inspect(userId);
    await this.audit.recordAlone(ctx, 'rate_limit.cleared', {
      userId,
      target: { type: 'user', id: userId },
      metadata: { counters: records.map(({ label, count }) => ({ label, count })) },
    });
    await Promise.all(countersOf(user).map(({ label, key }) => this.limits.clear(label, key)));
  }
}
