import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/app-directory.js';
import { readEmail } from '../../common/validation/email.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { Outbox } from '../../delivery/outbox.service.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { proofOf } from '../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PersonLimits } from '../session/person-limits.service.js';
import type { MailLink } from '../email-links/mail-link.entity.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { MailboxProofService } from '../email-links/mailbox-proof.service.js';
import { allowsMethod } from '../entry/allows-method.rules.js';
import type { AuthorizationRequest } from '../hosted-sign-in/authorization-request.js';
import type { ProvenPerson } from '../hosted-sign-in/identification.service.js';

/** Sign-in by a link in a mail. */
@Injectable()
export class MagicLinkService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly links: MailLinksService,
    private readonly proof: MailboxProofService,
    private readonly proofs: ProofGuard,
    private readonly limits: RateLimitsService,
    private readonly personLimits: PersonLimits,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
  ) {}

  /** One promise for every address, known or not; over the limit none, with the same answer. */
  async request(
    ctx: RequestContext,
    email: string,
    appId: string,
    request: AuthorizationRequest | null,
  ): Promise<void> {
    const key = readEmail(email)?.canonical;
    if (key === undefined) return;
    // One after the other: a network that is shut out must not go on to shut out accounts.
    if (!(await this.limits.tryConsume('mail_ip', clientAddressKey(ctx.ip))).allowed) return;
    if (!(await this.personLimits.tryConsume(ctx, 'magic_link', key)).allowed) return;
    await this.transactions.run((tx) =>
      this.outbox.add(tx, 'mail', 'auth.magic_link_requested', { email: key, appId, request }),
    );
  }

  /** The job behind {@link request}: mails only people who have an account, at an app that takes links. */
  async mailLink(email: string, appId: string, request: AuthorizationRequest | null): Promise<void> {
    // Without a registered address to go on to, a link would lead nowhere.
    if (!request) return;
    const [user, known] = await Promise.all([this.users.findByEmail(email), this.directory.findOpen(appId)]);
    if (!user?.isActive || !known || !allowsMethod(known.app, 'magic_link')) return;
    await this.transactions.run((tx) => this.links.mail(tx, 'magic_link', user, known, request));
  }

  /** Another link to where this one went, used or too old as it may be: to the same person, for the same request. */
  async renew(ctx: RequestContext, token: string): Promise<void> {
    const link = await this.find(token);
    const user = link && (await this.users.find(link.userId));
    if (user?.emailCanonical !== link?.emailCanonical || !link?.appId || !user) return;
    await this.request(ctx, user.email, link.appId, link.request as unknown as AuthorizationRequest | null);
  }

  find(token: string): Promise<MailLink | null> {
    return this.links.find(token, 'magic_link');
  }

  isUsable(token: string): Promise<boolean> {
    return this.links.isUsable(token, 'magic_link');
  }

  /** Spends the link; whether the person may enter the app is asked afterwards, like after every first factor. */
  async redeem(tx: EntityManager, ctx: RequestContext, token: string): Promise<ProvenPerson | null> {
    const link = await this.links.consume(tx, token, 'magic_link');
    const user = link && (await this.users.find(link.userId, tx));
    if (!user?.isActive || user.emailCanonical !== link?.emailCanonical) return null;
    const held = await this.hold(tx, user);
    if (!held) return null;
    await this.proof.accept(tx, ctx, user, link.emailCanonical);
    // Read again: the proof may have dropped a second factor that somebody else had set.
    const proven = await this.users.find(user.id, tx);
    return proven && { held, user: proven, amr: ['email'] };
  }

  private async hold(tx: EntityManager, user: User): Promise<HeldProof | null> {
    try {
      return await this.proofs.hold(tx, proofOf(user));
    } catch (error) {
      if (error instanceof ProofOutdated) return null;
      throw error;
    }
  }
}
