import { Injectable } from '@nestjs/common';
import { type AuditSubject, AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { canonicalEmail } from '../../common/validation/email.rules.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { type RateLimitRecord, RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { type Counter, countersOf, countersOfAddress, countersOfEmail } from './user-limits.rules.js';

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

  /** @throws UserNotFound */
  async clear(ctx: RequestContext, userId: string): Promise<void> {
    await this.clearAll(ctx, countersOf(await this.users.get(userId)), {
      userId,
      target: { type: 'user', id: userId },
    });
  }

  /** By e-mail address, with or without an account. @returns how many counters had a window open */
  async clearEmail(ctx: RequestContext, email: string): Promise<number> {
    const user = await this.users.findByEmail(email);
    if (user) return this.clearAll(ctx, countersOf(user), { userId: user.id, target: { type: 'user', id: user.id } });
    const key = canonicalEmail(email);
    return this.clearAll(ctx, countersOfEmail(key), { target: { type: 'email', id: key } });
  }

  /** By network address: everybody behind it. @returns how many counters had a window open */
  async clearAddress(ctx: RequestContext, address: string): Promise<number> {
    const key = clientAddressKey(address);
    return this.clearAll(ctx, countersOfAddress(key), { target: { type: 'address', id: key } });
  }

  /** Written down first: nobody gets rid of a counter unseen. */
  private async clearAll(ctx: RequestContext, counters: readonly Counter[], subject: AuditSubject): Promise<number> {
    const open = await this.limits.inspect(counters);
    const metadata = { counters: open.map(({ label, count }) => ({ label, count })) };
    await this.audit.recordAlone(ctx, 'rate_limit.cleared', { ...subject, metadata });
    await Promise.all(counters.map(({ label, key }) => this.limits.clear(label, key)));
    return open.length;
  }
}
