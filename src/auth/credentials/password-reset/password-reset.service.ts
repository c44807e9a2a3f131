import { Injectable } from '@nestjs/common';
import { AppDirectory, type KnownApp } from '../../../apps/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { readEmail } from '../../../common/validation/email.rules.js';
import { Transactions } from '../../../database/transactions.js';
import { Outbox } from '../../../delivery/outbox.service.js';
import { EntryCache } from '../../../enrollment/entry-cache.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { UsersService } from '../../../users/users.service.js';
import { InvalidLink } from '../../entry/auth.errors.js';
import { PersonLimits } from '../../session/person-limits.service.js';
import { MailLinksService } from '../../email-links/mail-links.service.js';
import { MailboxProofService } from '../../email-links/mailbox-proof.service.js';
import { NewPasswordService } from '../password/new-password.service.js';
import { PasswordPolicyService } from '../password/password-policy.service.js';

/** Forgotten passwords: a link by mail, a new password, and everything that was open is closed. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly proof: MailboxProofService,
    private readonly policy: PasswordPolicyService,
    private readonly passwords: NewPasswordService,
    private readonly limits: RateLimitsService,
    private readonly personLimits: PersonLimits,
    private readonly outbox: Outbox,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Promises to look for the account later: a known and an unknown address take the same path, here and in time.
   * Over the limit nothing is promised, and the answer is the same.
   */
  async request(ctx: RequestContext, email: string, appId: string): Promise<void> {
    const key = readEmail(email)?.canonical;
    if (key === undefined) return;
    const network = clientAddressKey(ctx.ip);
    // One after the other: a network that is shut out must not go on to shut out accounts.
    if (!(await this.limits.tryConsume('forgot_password_ip', network)).allowed) return;
    if (!(await this.limits.tryConsume('mail_ip', network)).allowed) return;
    if (!(await this.personLimits.tryConsume(ctx, 'forgot_password', key)).allowed) return;
    await this.transactions.run((tx) => this.outbox.add(tx, 'mail', 'auth.reset_requested', { email: key, appId }));
  }

  /** The job behind {@link request}. */
  async mailLink(email: string, appId: string): Promise<void> {
    const [user, known] = await Promise.all([this.users.findByEmail(email), this.directory.findOpen(appId)]);
    if (!user?.isActive || !known) return;
    await this.transactions.run((tx) => this.links.mail(tx, 'reset_password', user, known));
  }

  /** What the page behind the link says, without using it up; null where it is spent, old or replaced. */
  async preview(token: string): Promise<{ known: KnownApp | null; minimum: number } | null> {
    const link = await this.links.find(token, 'reset_password');
    if (!link || !(await this.isUsable(token))) return null;
    const known = link.appId ? await this.directory.find(link.appId) : null;
    return { known, minimum: await this.policy.minimum(link.userId, known?.tenant ?? null) };
  }

  private isUsable(token: string): Promise<boolean> {
    return this.links.isUsable(token, 'reset_password');
  }

  /** Signs nobody in. @throws InvalidLink, PasswordRefused (the link stays usable then) */
  async reset(ctx: RequestContext, token: string, password: string): Promise<void> {
    const link = await this.links.find(token, 'reset_password');
    if (!link || !(await this.isUsable(token))) throw new InvalidLink();
    const known = link.appId ? await this.directory.find(link.appId) : null;
    const { displayName } = await this.users.get(link.userId);
    const owner = { userId: link.userId, email: link.emailCanonical, displayName };
    const remark = await this.policy.check(password, owner, known);
    const passwordHash = await this.users.hashPassword(password);
    await this.transactions.run(async (tx) => {
      const spent = await this.links.consume(tx, token, 'reset_password');
      const user = spent && (await this.users.find(spent.userId, tx));
      if (!user?.isActive || user.emailCanonical !== spent?.emailCanonical) throw new InvalidLink();
      await this.proof.accept(tx, ctx, user, spent.emailCanonical);
      await this.passwords.store(tx, ctx, { user, passwordHash, by: 'reset', remark, known });
    });
    this.entries.forget(link.userId);
    await this.limits.clearPerson('login_email', link.emailCanonical);
  }
}
