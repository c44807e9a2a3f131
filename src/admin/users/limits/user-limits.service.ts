import { Injectable } from '@nestjs/common';
import { type AuditSubject, AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SsoSessionsService } from '../../../auth/session/sso-sessions.service.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import {
  type CounterKey,
  isBrowserKey,
  isOfUser,
  partsOf,
  userKey,
} from '../../../rate-limits/counters/counter-keys.rules.js';
import { type RateLimitRecord, RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import {
  countersOf,
  countersOfAddress,
  countersOfClient,
  countersOfEmail,
  isOfClient,
  type LimitedAddress,
} from './user-limits.rules.js';

interface Counted {
  readonly user: User | null;
  readonly counters: readonly CounterKey[];
  readonly subject: AuditSubject;
}

/** The rate limits of one user or address: shows the current counts and clears them. */
@Injectable()
export class UserLimitsService {
  constructor(
    private readonly users: UsersService,
    private readonly limits: RateLimitsService,
    private readonly sessions: SsoSessionsService,
    private readonly audit: AuditService,
  ) {}

  /** @throws UserNotFound */
  async inspect(userId: string): Promise<{ user: User; records: RateLimitRecord[] }> {
    const user = await this.users.get(userId);
    return { user, records: await this.limits.inspect(await this.countersOf(user)) };
  }

  /** @throws UserNotFound */
  async clear(ctx: RequestContext, userId: string): Promise<void> {
    const user = await this.users.get(userId);
    await this.clearAll(ctx, await this.countersOf(user), subjectOf(user));
  }

  /** @returns the counters, and the user if the address has an account */
  async inspectAddress(address: LimitedAddress): Promise<{ user: User | null; records: RateLimitRecord[] }> {
    const { user, counters } = await this.countedFor(address);
    return { user, records: await this.limits.inspect(counters) };
  }

  /** Clears the counters that {@link inspectAddress} shows. @returns how many had a window open */
  async clearAddress(ctx: RequestContext, address: LimitedAddress): Promise<number> {
    const { counters, subject } = await this.countedFor(address);
    return this.clearAll(ctx, counters, subject);
  }

  private async countedFor(address: LimitedAddress): Promise<Counted> {
    if ('network' in address) {
      const id = address.network;
      const counters = [...countersOfAddress(id), ...(await this.limits.counting(id))];
      return { user: null, counters, subject: { target: { type: 'address', id } } };
    }
    if ('client' in address) {
      const id = address.client;
      const counters = [...countersOfClient(id), ...(await this.limits.counting(id))];
      return { user: null, counters, subject: { target: { type: 'app', id } } };
    }
    const id = address.email.canonical;
    const user = await this.users.findByEmail(id);
    if (user) return { user, counters: await this.countersOf(user), subject: subjectOf(user) };
    const counters = [...countersOfEmail(id), ...(await this.limits.counting(id))];
    return { user, counters, subject: { target: { type: 'email', id } } };
  }

  /** Counters of the user, and of the network addresses that the user signs in from. */
  private async countersOf(user: User): Promise<CounterKey[]> {
    const [own, mailed, viaApps, sessions] = await Promise.all([
      this.limits.counting(user.emailCanonical),
      this.limits.counting(user.id),
      this.limits.counting(userKey(user.id, null)),
      this.sessions.listLive(user.id),
    ]);
    const tried = own
      .filter(({ label }) => isOfUser(label))
      .flatMap(({ key }) => partsOf(key).slice(1))
      .filter((source) => !isBrowserKey(source));
    const networks = [...new Set([...tried, ...sessions.map(({ ipAddress }) => clientAddressKey(ipAddress))])];
    const elsewhere = await Promise.all(networks.map((network) => this.countersAt(network)));
    return [...countersOf(user), ...own, ...mailed, ...viaApps, ...elsewhere.flat()];
  }

  /** Does not include the counters of other users in the same network. */
  private async countersAt(network: string): Promise<CounterKey[]> {
    const clients = (await this.limits.counting(network)).filter(({ label }) => isOfClient(label));
    return [...countersOfAddress(network), ...clients];
  }

  /** Writes the audit entry first, so that no counter is cleared without one. */
  private async clearAll(ctx: RequestContext, counters: readonly CounterKey[], subject: AuditSubject): Promise<number> {
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
