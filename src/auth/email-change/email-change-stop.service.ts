import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { RemovalTransactions } from '../account-removal/removal-transactions.js';
import { InvalidLink } from '../entry/auth.errors.js';
import type { CredentialLists } from '../listed-credentials/listed-credentials.js';
import { AccountLockdown } from '../stop-links/account-lockdown.js';
import { StopPreview } from '../stop-links/stop-preview.js';
import type { EmailChange } from './stored/email-change.entity.js';
import { UndoneChange } from './undone-change.js';

/** The links "Stop the change" and "Undo the change" in notices to the old address. Both secure the account. */
@Injectable()
export class EmailChangeStop {
  constructor(
    private readonly undone: UndoneChange,
    private readonly secured: AccountLockdown,
    private readonly preview: StopPreview,
    private readonly accounts: RemovalTransactions,
  ) {}

  /**
   * The change that the link would stop, and the credentials that this would remove and keep. Changes nothing. Null if
   * the link is used or expired, or the address can no longer decide about the account.
   */
  async find(token: string): Promise<(EmailChange & CredentialLists) | null> {
    const change = await this.undone.findByLink(hashOpaqueToken(token));
    return change && { ...change, ...(await this.preview.read(change.userId, change.createdAt)) };
  }

  /**
   * @returns the credentials that remain
   * @throws InvalidLink, EmailTaken
   */
  async stop(ctx: RequestContext, token: string): Promise<CredentialLists> {
    const seen = await this.undone.findByLink(hashOpaqueToken(token));
    if (!seen) throw new InvalidLink();
    const { userId } = seen;
    const event = await this.accounts.run(userId, async (tx) => {
      const before = await this.undone.lock(tx, userId);
      const change = await this.undone.findByLink(hashOpaqueToken(token), tx);
      if (!change) throw new InvalidLink();
      await this.undone.undo(tx, ctx, before, change);
      await this.secured.secure(tx, ctx, userId, change.createdAt, 'email_change_stopped');
      return change.createdAt;
    });
    return this.preview.read(userId, event);
  }
}
