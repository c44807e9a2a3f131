import { ReauthenticationRequired } from '../../common/http/recent-sign-in.js';
import { Injectable } from '@nestjs/common';
import { Randomness } from '../../common/randomness.js';
import { type EmailAddress, readEmail } from '../../common/validation/email.rules.js';
import { newOpaqueToken } from '../../crypto/opaque-token.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import { type AccountHolder } from '../access/account-holder.service.js';
import { FRESH_SECONDS } from '../access/confirmation/fresh-sign-in.service.js';
import { STOP_SECONDS } from '../credentials/notices/stop-window.rules.js';
import type { EmailChange } from './stored/email-change.entity.js';
import { EmailChangeLimits } from './email-change-limits.js';
import { EmailChangeNotices } from './email-change-notices.js';
import { EmailChangesRepository } from './stored/email-changes.repository.js';
import { CODE_SECONDS, hashEmailCode, newEmailCode } from './email-code.rules.js';

/** The first step of a change: a user requests another address, and a code is sent to it. */
@Injectable()
export class EmailChangeRequests {
  constructor(
    private readonly changes: EmailChangesRepository,
    private readonly limits: EmailChangeLimits,
    private readonly notices: EmailChangeNotices,
    private readonly proofs: ProofTransactions,
    private readonly randomness: Randomness,
  ) {}

  /** The open change, whose code has not been entered yet. */
  findOpen({ user }: AccountHolder): Promise<EmailChange | null> {
    return this.changes.findOpen(user.id, user.credentialsVersion);
  }

  /**
   * Mails a code to the new address. The response and its time are the same if another account has the address: only
   * the owner of the mailbox learns it, after entering the code.
   * @param isFresh see `AccountHolders.isFresh`
   * @throws ReauthenticationRequired, RateLimited, ProofOutdated
   */
  async request(
    { ctx, user, proof }: AccountHolder,
    isFresh: boolean,
    { typed, canonical }: EmailAddress,
  ): Promise<void> {
    if (!isFresh) throw new ReauthenticationRequired(FRESH_SECONDS);
    const mayMail = await this.limits.take(ctx, user.id, canonical);
    const id = this.randomness.uuid();
    const code = newEmailCode(this.randomness);
    const isProven = user.emailVerified && readEmail(user.email) !== null;
    const stop = isProven ? newOpaqueToken(this.randomness) : null;
    await this.proofs.run(proof, async (tx) => {
      const change = {
        id,
        userId: user.id,
        oldEmail: user.email,
        newEmail: typed,
        codeHash: hashEmailCode(id, code),
        credentialsVersion: proof.credentialsVersion,
        stopHash: stop?.hash ?? null,
      };
      await this.changes.begin(tx, change, { code: CODE_SECONDS, stop: stop ? STOP_SECONDS : 0 });
      const requested = { newEmail: typed, code, codeSeconds: CODE_SECONDS, mayMail };
      await this.notices.requested(tx, ctx, user, requested, stop?.token ?? null);
    });
  }

  async cancel({ ctx, user, proof }: AccountHolder): Promise<void> {
    await this.proofs.run(proof, async (tx) => {
      if (await this.changes.cancel(tx, user.id)) await this.notices.cancelled(tx, ctx, user.id);
    });
  }
}
