import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { AccountChanges } from '../../../enrollment/memberships/account-changes.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { MailboxLinks } from '../../email-links/mailbox-links.service.js';
import { InvalidLink } from '../../entry/auth.errors.js';
import { NewPasswordService } from '../password/new-password.service.js';
import { PreparedPasswords } from '../password/prepared-passwords.service.js';
import { ResetLinks } from './reset-links.service.js';

/** Forgotten passwords: a mailed link is exchanged for a new password, and all sign-ins of the user end. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly resetLinks: ResetLinks,
    private readonly mailboxLinks: MailboxLinks,
    private readonly prepared: PreparedPasswords,
    private readonly passwords: NewPasswordService,
    private readonly changes: AccountChanges,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Does not sign the user in. Attempts are counted, because each password is validated and hashed before the link is
   * used up.
   * @throws InvalidLink, RateLimited, PasswordRefused (the link remains valid then)
   */
  async reset(ctx: RequestContext, token: string, password: string): Promise<void> {
    const found = await this.resetLinks.find(token);
    if (!found) throw new InvalidLink();
    const { link, client } = found;
    await this.limits.consume('reset_password', link.userId);
    const prepared = await this.prepared.prepare(ctx, password, await this.resetLinks.ownerOf(link), client);
    await this.changes.run(link.userId, async (tx) => {
      const user = await this.mailboxLinks.spend(tx, token, 'reset_password');
      if (!user) throw new InvalidLink();
      await this.mailboxLinks.accept(tx, ctx, user);
      await this.passwords.store(tx, ctx, { user, ...prepared, by: 'reset', client });
    });
    await this.limits.clearUser('login_email', link.emailCanonical);
  }
}
