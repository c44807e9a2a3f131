import { Injectable } from '@nestjs/common';
import { type AuditSubject, AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { type RateLimitRecord, RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import {
  type Counter,
  countersOf,
  countersOfAddress,
  countersOfEmail,
  type LimitedAddress,
} from './user-limits.rules.js';

interface Counted {
  readonly user: User | null;
  readonly counters: readonly Counter[];
  readonly subject: AuditSubject;
}

/** The rate limits of one person or address: what is counted now, and how to let them in again at once. */
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
    const user = await this.users.get(userId);
    await this.clearAll(ctx, countersOf(user), subjectOf(user));
  }

  /** With or without an account. */
  async inspectAddress(address: LimitedAddress): Promise<{ user: User | null; records: RateLimitRecord[] }> {
    const { user, counters } = await this.countedFor(address);
    return { user, records: await this.limits.inspect(counters) };
  }

  /** The same counters. @returns how many had a window open */
  async clearAddress(ctx: RequestContext, address: LimitedAddress): Promise<number> {
    const { counters, subject } = await this.countedFor(address);
    return this.clearAll(ctx, counters, subject);
  }

  private async countedFor(address: LimitedAddress): Promise<Counted> {
    if ('network' in address) {
      const id = clientAddressKey(address.network);
      return { user: null, counters: countersOfAddress(id), subject: { target: { type: 'address', id } } };
    }
    const id = address.email.canonical;
    const user = await this.users.findByEmail(id);
    if (user) return { user, counters: countersOf(user), subject: subjectOf(user) };
    return { user, counters: countersOfEmail(id), subject: { target: { type: 'email', id } } };
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

function subjectOf({ id }: User): AuditSubject {
  return { userId: id, target: { type: 'user', id } };
}
