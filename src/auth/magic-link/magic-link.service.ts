import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { proofOf } from '../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import type { MailLink } from '../email-links/mail-link.entity.js';
import { MailLinksService } from '../email-links/mail-links.service.js';
import { MailboxLinks } from '../email-links/mailbox-links.service.js';
import type { ProvenUser } from '../hosted-sign-in/attempts/identification.service.js';

/** Finds and uses up sign-in links. */
@Injectable()
export class MagicLinkService {
  constructor(
    private readonly links: MailLinksService,
    private readonly mailboxLinks: MailboxLinks,
    private readonly directory: AppDirectory,
    private readonly proofs: ProofGuard,
  ) {}

  /**
   * The link in any state, and the app at which it was requested. Null for an unknown link, and for an app that is
   * unknown or switched off.
   */
  async find(token: string): Promise<{ link: MailLink | null; client: RegisteredClient | null }> {
    const link = await this.links.find(token, 'magic_link');
    return { link, client: link?.appId ? await this.directory.findOpenOfAnyOrigin(link.appId) : null };
  }

  isUsable(token: string): Promise<boolean> {
    return this.mailboxLinks.isUsable(token, 'magic_link');
  }

  /**
   * Uses up the link. Whether the user may enter the app is decided afterwards, as after every first factor.
   * @returns null if the link is not valid, or the account is inactive or has changed
   */
  async redeem(tx: EntityManager, ctx: RequestContext, token: string): Promise<ProvenUser | null> {
    const user = await this.mailboxLinks.spend(tx, token, 'magic_link');
    const held = user && (await this.hold(tx, user));
    if (!held) return null;
    // Read again, because the proof may have removed a second factor that another person had set.
    const proven = await this.mailboxLinks.accept(tx, ctx, user);
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
