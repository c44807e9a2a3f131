import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { UserAlreadyExists } from '../../../users/users.errors.js';
import { AccountAlreadyExists } from '../../entry/auth.errors.js';
import { Identification } from '../../hosted-sign-in/attempts/identification.service.js';
import { SignInAttemptsRepository } from '../../hosted-sign-in/attempts/sign-in-attempts.repository.js';
import { AccountCreation } from '../identities/account-creation.service.js';
import { LinkedElsewhere } from '../linked/linked-accounts.errors.js';
import { PendingIdentities } from '../pending/pending-identities.service.js';
import type { PendingInvitation } from './pending-invitations.service.js';
import { InvalidOauthToken } from '../pending/provider.errors.js';

/**
 * Creates the account, link and enrollment of an invited user from a provider and signs them in, in one transaction.
 */
@Injectable()
export class InvitedIdentity {
  constructor(
    private readonly pending: PendingIdentities,
    private readonly creation: AccountCreation,
    private readonly identification: Identification,
    private readonly attempts: SignInAttemptsRepository,
    private readonly transactions: Transactions,
  ) {}

  /**
   * The `oauth_token` remains valid if anything fails, because the invite code may have been mistyped.
   * @returns the value of the SSO cookie; null while a second factor is due
   * @throws InvalidOauthToken, InvalidInvite, InviteNotForThisEmail, AccountAlreadyExists
   */
  async join(
    ctx: RequestContext,
    { pending, attempt, client }: PendingInvitation,
    { oauthToken, code, displayName }: { oauthToken: string; code: string; displayName: string },
    presentedSession: string | null,
  ): Promise<string | null> {
    try {
      return await this.transactions.run(async (tx) => {
        const identity = await this.pending.consume(tx, oauthToken, [pending.browserHash]);
        if (!identity) throw new InvalidOauthToken();
        const user = await this.creation.createInvited(tx, ctx, client, identity, { code, displayName });
        await this.attempts.dropInvite(tx, attempt.id);
        const amr = ['fed', identity.provider];
        return this.identification.identify(tx, ctx, attempt.id, user, amr, presentedSession);
      });
    } catch (error) {
      // The account or link was created since the callback, by a second sign-in or by another user with the same
      // address.
      if (error instanceof UserAlreadyExists || error instanceof LinkedElsewhere) throw new AccountAlreadyExists();
      throw error;
    }
  }
}
