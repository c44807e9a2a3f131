import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { UsersService } from '../../users/users.service.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { MailLinksService } from './mail-links.service.js';

/** Proof that an address is the account holder's. It gives no session. */
@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly entries: EntryCache,
  ) {}

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
