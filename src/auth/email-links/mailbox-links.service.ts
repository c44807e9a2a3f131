import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { MailLink, MailLinkPurpose } from './mail-link.entity.js';
import { MailLinksService } from './mail-links.service.js';
import { MailboxProofService } from './mailbox-proof.service.js';

/** Sign-in and reset links: using one proves access to the mailbox. */
@Injectable()
export class MailboxLinks {
  constructor(
    private readonly links: MailLinksService,
    private readonly users: UsersService,
    private readonly proof: MailboxProofService,
  ) {}

  /**
   * Uses up a link.
   * @returns its user; null if the link is unknown, used or expired, or the account is inactive, has another address
   *   now, or its credentials or sign-ins were changed or ended since, perhaps because another person has read the mail
   */
  async spend(tx: EntityManager, token: string, purpose: MailLinkPurpose): Promise<User | null> {
    const link = await this.links.consume(tx, token, purpose);
    const user = link && (await this.users.find(link.userId, tx));
    return user?.isActive && isCurrent(link!, user) ? user : null;
  }

  /** Whether {@link spend} would return the user now. Does not use up the link. */
  async isUsable(token: string, purpose: MailLinkPurpose): Promise<boolean> {
    if (!(await this.links.isUsable(token, purpose))) return false;
    const link = await this.links.find(token, purpose);
    const user = link && (await this.users.find(link.userId));
    return Boolean(user?.isActive && isCurrent(link!, user));
  }

  /**
   * Records that the mailbox is proven.
   * @param user from {@link spend}
   * @returns the user afterwards: credentials that were set before the proof may have been removed
   */
  async accept(tx: EntityManager, ctx: RequestContext, user: User): Promise<User | null> {
    await this.proof.accept(tx, ctx, user, user.emailCanonical);
    return this.users.find(user.id, tx);
  }
}

function isCurrent(link: MailLink, user: User): boolean {
  const isSameVersion = link.credentialsVersion === null || link.credentialsVersion === user.credentialsVersion;
  return isSameVersion && link.emailCanonical === user.emailCanonical;
}
