import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { RemovalTransactions } from '../account-removal/removal-transactions.js';
import { NewCredentialNotices } from '../credentials/notices/new-credential-notices.service.js';
import type { EmailChange } from '../email-change/stored/email-change.entity.js';
import { UndoneChange } from '../email-change/undone-change.js';
import { InvalidLink } from '../entry/auth.errors.js';
import type { CredentialLists } from '../listed-credentials/listed-credentials.js';
import { AccountLockdown } from '../stop-links/account-lockdown.js';
import { StopPreview } from '../stop-links/stop-preview.js';

interface FoundEvent {
  readonly userId: string;
  /** Change of the address that the link undoes. */
  readonly change: EmailChange | null;
  /** Time of the first event that the owner reports. */
  readonly event: Date;
}

/** The link "Secure my account" in the mail about a new sign-in method. */
@Injectable()
export class CredentialStop {
  constructor(
    private readonly notices: NewCredentialNotices,
    private readonly undone: UndoneChange,
    private readonly secured: AccountLockdown,
    private readonly preview: StopPreview,
    private readonly accounts: RemovalTransactions,
  ) {}

  /**
   * What the link would remove and keep, without doing anything; null if it is used, expired, or no longer
   * authoritative.
   */
  async find(token: string): Promise<CredentialLists | null> {
    const found = await this.findEvent(token);
    return found && this.preview.read(found.userId, found.event);
  }

  /**
   * @returns what remains
   * @throws InvalidLink, EmailTaken
   */
  async stop(ctx: RequestContext, token: string): Promise<CredentialLists> {
    const seen = await this.findEvent(token);
    if (!seen) throw new InvalidLink();
    const { userId } = seen;
    const event = await this.accounts.run(userId, async (tx) => {
      // The user's row is locked first: of two requests with the same link, only one succeeds.
      const before = await this.undone.lock(tx, userId);
      const found = await this.findEvent(token, tx);
      if (!found) throw new InvalidLink();
      if (found.change) await this.undone.undo(tx, ctx, before, found.change);
      await this.secured.secure(tx, ctx, userId, found.event, 'credential_stopped');
      return found.event;
    });
    return this.preview.read(userId, event);
  }

  /** An attacker may also have changed the address, before or after: the link undoes that, too. */
  private async findEvent(token: string, tx?: EntityManager): Promise<FoundEvent | null> {
    const notice = await this.notices.find(token, tx);
    const change = notice && (await this.undone.findFor(notice.userId, notice.email, tx));
    if (!notice || !change) return null;
    const { userId, createdAt } = notice;
    if (change === 'none') return { userId, change: null, event: createdAt };
    return { userId, change, event: change.createdAt < createdAt ? change.createdAt : createdAt };
  }
}
