import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { MailLinkPurpose } from './mail-link.entity.js';
import { MailLinksService } from './mail-links.service.js';
import { MailboxProofService } from './mailbox-proof.service.js';

/** Links that let the owner of a mailbox in: spending one proves the mailbox. */
@Injectable()
export class MailboxLinks {
  constructor(
    private readonly links: MailLinksService,
    private readonly users: UsersService,
    private readonly proof: MailboxProofService,
  ) {}

  /** @returns whose it was, or null where it is spent or old, or the account inactive or at another address by now */
  async spend(tx: EntityManager, token: string, purpose: MailLinkPurpose): Promise<User | null> {
    const link = await this.links.consume(tx, token, purpose);
    const user = link && (await this.users.find(link.userId, tx));
    return user?.isActive && user.emailCanonical === link?.emailCanonical ? user : null;
  }

  /** @param user of {@link spend} @returns as they are then: what was set before the proof may be gone */
  async accept(tx: EntityManager, ctx: RequestContext, user: User): Promise<User | null> {
    await this.proof.accept(tx, ctx, user, user.emailCanonical);
    return this.users.find(user.id, tx);
  }
}
