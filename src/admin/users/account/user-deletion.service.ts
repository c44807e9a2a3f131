import { Injectable } from '@nestjs/common';
import { authorityOf } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import { requireRecentSignIn } from '../../../common/http/recent-sign-in.js';
import type { RequestContext } from '../../../common/request-context.js';
import { AccountRemoval } from '../../../auth/account-removal/account-removal.js';
import { RemovalTransactions } from '../../../auth/account-removal/removal-transactions.js';
import { PlatformAdminsService } from '../platform-admins/platform-admins.service.js';

/** Deletes an account. */
@Injectable()
export class UserDeletionService {
  constructor(
    private readonly admins: PlatformAdminsService,
    private readonly removal: AccountRemoval,
    private readonly transactions: RemovalTransactions,
  ) {}

  /**
   * Deletes everything that belongs to the user, except for audit entries. Each of their tenants gets an audit entry
   * about the deletion. A recent sign-in is required here, because the route of the API also removes a user from one app,
   * which needs none.
   * @throws InsufficientPermissions, ReauthenticationRequired, UserNotFound, CannotRemoveYourself, LastPlatformAdmin
   */
  async delete(ctx: RequestContext, userId: string): Promise<void> {
    if (!authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
    requireRecentSignIn(ctx);
    await this.transactions.run(userId, async (tx) => {
      const user = await this.admins.lockForDeletion(tx, ctx, userId);
      await this.removal.remove(tx, ctx, user);
    });
  }
}
