import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { MailLinkPurpose } from './mail-link.entity.js';
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
   * @returns its user; null if the link is unknown, used or expired, or the account is inactive or has another address
   *   now
   */
  async spend(tx: EntityManager, token: string, purpose: MailLinkPurpose): Promise<User | null> {
    const link = await this.links.consume(tx, token, purpose);
    const user = link && (await this.users.find(link.userId, tx));
    return user?.isActive && user.emailCanonical === link?.emailCanonical ? user : null;
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
