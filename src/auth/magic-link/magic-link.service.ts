import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/app-directory.js';
import { readEmail } from '../../common/validation/email.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { Outbox } from '../../delivery/outbox.service.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { MailLink } from '../links/mail-link.entity.js';
import { MailLinksService } from '../links/mail-links.service.js';
import { MailboxProofService } from '../links/mailbox-proof.service.js';
import { offers } from '../offers.rules.js';
import type { AuthorizationRequest } from '../sign-in/authorization-request.js';

/** Sign-in by a link in a mail. */
@Injectable()
export class MagicLinkService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly proof: MailboxProofService,
    private readonly limits: RateLimitsService,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
  ) {}

  /** One promise for every address, known or not; over the limit none, with the same answer. */
  async request(email: string, appId: string, request: AuthorizationRequest | null): Promise<void> {
    const key = readEmail(email)?.canonical;
    if (key === undefined) return;
    const { allowed } = await this.limits.tryConsume('magic_link', key);
    if (!allowed) return;
    await this.transactions.run((tx) =>
      this.outbox.add(tx, 'auth.magic_link_requested', { email: key, appId, request }),
    );
  }

  /** The job behind {@link request}: mails only people who have an account, at an app that takes links. */
  async mailLink(email: string, appId: string, request: AuthorizationRequest | null): Promise<void> {
    // Without a registered address to go on to, a link would lead nowhere.
    if (!request) return;
    const [user, known] = await Promise.all([this.users.findByEmail(email), this.directory.findOpen(appId)]);
    if (!user?.isActive || !known || !offers(known.app, 'magic_link')) return;
    await this.transactions.run((tx) => this.links.mail(tx, 'magic_link', user, known, request));
  }

  /** Another link to where this one went, used or too old as it may be: to the same person, for the same request. */
  async renew(token: string): Promise<void> {
    const link = await this.find(token);
    const user = link && (await this.users.find(link.userId));
    if (user?.emailCanonical !== link?.emailCanonical || !link?.appId || !user) return;
    await this.request(user.email, link.appId, link.request as unknown as AuthorizationRequest | null);
  }

  find(token: string): Promise<MailLink | null> {
    return this.links.find(token, 'magic_link');
  }

  isUsable(token: string): Promise<boolean> {
    return this.links.isUsable(token, 'magic_link');
  }

  /** Spends the link; whether the person may enter the app is asked afterwards, like after every first factor. */
  async redeem(
    tx: EntityManager,
    ctx: RequestContext,
    token: string,
  ): Promise<{ user: User; amr: readonly string[] } | null> {
    const link = await this.links.consume(tx, token, 'magic_link');
    const user = link && (await this.users.find(link.userId, tx));
    if (!user?.isActive || user.emailCanonical !== link?.emailCanonical) return null;
    await this.proof.accept(tx, ctx, user, link.emailCanonical);
    // Read again: the proof may have dropped a second factor that somebody else had set.
    const proven = await this.users.find(user.id, tx);
    return proven && { user: proven, amr: ['email'] };
  }
}
