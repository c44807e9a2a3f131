import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { MailLinksService } from '../../auth/links/mail-links.service.js';
import { PasswordPolicyService } from '../../auth/password/password-policy.service.js';
import { Clock } from '../../common/clock.js';
import { OWN_BRAND } from '../../common/pages/brand.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { MailService } from '../../mail/mail.service.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../users/users.service.js';
import { OwnPasswordElsewhere } from './people.errors.js';

/** A platform admin gives somebody a new password: as after a reset, everything that was open is closed. */
@Injectable()
export class PasswordByAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly links: MailLinksService,
    private readonly mails: MailService,
    private readonly limits: RateLimitsService,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws UserNotFound, PasswordTooShort, OwnPasswordElsewhere */
  async set(ctx: RequestContext, userId: string, password: string): Promise<void> {
    const { actor } = ctx;
    if (actor.type === 'user' && actor.userId === userId) throw new OwnPasswordElsewhere();
    const { emailCanonical } = await this.users.get(userId);
    await this.policy.check(password, userId, null);
    const passwordHash = await this.users.hashPassword(password);
    await this.transactions.run(async (tx) => {
      const user = await this.users.getForUpdate(tx, userId);
      await this.users.setPasswordHash(tx, userId, passwordHash);
      await this.users.endEverything(tx, userId);
      await this.links.deleteUnused(tx, userId, 'reset_password');
      await this.audit.record(tx, ctx, 'user.password_changed', {
        userId,
        target: { type: 'user', id: userId },
        metadata: { by: 'admin' },
      });
      // Where the admin sits is nobody's business but the audit log's.
      const model = { when: this.clock.now().toUTCString(), ip: 'an administrator’s console' };
      const mail = { template: 'password-changed', to: user.email, brand: OWN_BRAND, replyTo: null } as const;
      await this.mails.send(tx, { ...mail, holdsFor: null, model }, null);
    });
    this.entries.forget(userId);
    await this.limits.clear('login_email', emailCanonical);
  }
}
