import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { MailLinksService } from './mail-links.service.js';

/** Proof that an address is the account holder's. It gives no session. */
@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly entries: EntryCache,
  ) {}

  /** Mails a link to the user's address, unless it is proven already or too many were asked for. */
  async request(userId: string, appId: string | null): Promise<void> {
    const { allowed } = await this.limits.tryConsume('send_verification', userId);
    if (!allowed) return;
    const [user, client] = await Promise.all([this.users.find(userId), appId ? this.directory.findOpen(appId) : null]);
    if (!user || user.emailVerified) return;
    await this.transactions.run((tx) => this.links.mail(tx, 'verify_email', user, client));
  }

  /** Whose link it is, without using it up; null where it is spent, old or for another address. */
  async preview(token: string): Promise<{ user: User; client: RegisteredClient | null } | null> {
    const link = await this.links.find(token, 'verify_email');
    if (!link || !(await this.links.isUsable(token, 'verify_email'))) return null;
    const [user, client] = await Promise.all([this.users.find(link.userId), this.appOf(token)]);
    return user && user.emailCanonical === link.emailCanonical ? { user, client } : null;
  }

  /** At which app the link was asked for, used up or not. */
  async appOf(token: string): Promise<RegisteredClient | null> {
    const link = await this.links.find(token, 'verify_email');
    return link?.appId ? this.directory.find(link.appId) : null;
  }

  /** @throws InvalidLink */
  async verify(ctx: RequestContext, token: string): Promise<void> {
    const userId = await this.transactions.run(async (tx) => {
      const link = await this.links.consume(tx, token, 'verify_email');
      const user = link && (await this.users.find(link.userId, tx));
      if (!user || user.emailCanonical !== link.emailCanonical) throw new InvalidLink();
      if (!(await this.users.verifyEmail(tx, user.id, link.emailCanonical))) return user.id;
      await this.audit.record(tx, ctx, 'user.email_verified', {
        userId: user.id,
        target: { type: 'user', id: user.id },
        metadata: { by: 'link' },
      });
      return user.id;
    });
    this.entries.forget(userId);
  }

  /** "This was not me": removes an account that was created with another person's address. @throws InvalidLink */
  async disown(ctx: RequestContext, token: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const link = await this.links.consume(tx, token, 'verify_email');
      const user = link && (await this.users.find(link.userId, tx));
      if (!user || user.emailVerified || user.emailCanonical !== link.emailCanonical) throw new InvalidLink();
      await this.audit.record(tx, ctx, 'user.deleted', {
        userId: user.id,
        target: { type: 'user', id: user.id },
        metadata: { by: 'address_owner' },
      });
      await this.users.delete(tx, user.id);
    });
  }
}
