import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { AccountChanges } from '../../enrollment/account-changes.js';
import { InvalidLink } from '../entry/auth.errors.js';
import type { EmailChange } from './email-change.entity.js';
import { EmailChangeNotices } from './email-change-notices.js';
import { EmailChangesRepository } from './email-changes.repository.js';
import { MovedAddress } from './moved-address.js';
import { SecuredAccount } from './secured-account.js';

/** "This was not me", from the old address: stops a change or undoes it, and secures the account. */
@Injectable()
export class EmailChangeStop {
  constructor(
    private readonly changes: EmailChangesRepository,
    private readonly address: MovedAddress,
    private readonly secured: SecuredAccount,
    private readonly notices: EmailChangeNotices,
    private readonly accounts: AccountChanges,
  ) {}

  /** What the link of a notice is about, without doing anything; null where it is spent or old. */
  find(token: string): Promise<EmailChange | null> {
    return this.changes.findStoppable(hashOpaqueToken(token));
  }

  /** @throws InvalidLink, EmailTaken */
  async stop(ctx: RequestContext, token: string): Promise<void> {
    const seen = await this.find(token);
    if (!seen) throw new InvalidLink();
    const { userId } = seen;
    await this.accounts.run(userId, async (tx) => {
      // The user's row first, like a confirmation: which of the two comes first is decided here.
      const before = await this.address.lock(tx, userId);
      const change = await this.changes.findStoppable(hashOpaqueToken(token), tx);
      if (!change) throw new InvalidLink();
      await this.notices.stopped(tx, ctx, before, change);
      if (change.completedAt) await this.address.moveBack(tx, ctx, userId, change.oldEmail);
      await this.changes.deleteFrom(tx, change);
      await this.secured.secure(tx, ctx, userId, change.createdAt);
    });
  }
}
