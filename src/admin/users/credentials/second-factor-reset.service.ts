import { Injectable } from '@nestjs/common';
import { NoSecondFactor } from '../../../auth/credentials/second-factor/stored/second-factor.errors.js';
import { SecondFactorLock } from '../../../auth/credentials/second-factor/check/second-factor-lock.service.js';
import { SecondFactorService } from '../../../auth/credentials/second-factor/management/second-factor.service.js';
import { AccountChanges } from '../../../enrollment/memberships/account-changes.js';
import { authorityOf } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ActiveGrants } from '../../../tokens/grants/revocation/active-grants.service.js';
import { UsersService } from '../../../users/users.service.js';
import { OwnSecondFactorElsewhere } from './credentials.errors.js';

/**
 * Lets a platform admin reset a user's second factor. Afterwards the first factor alone is enough to sign in, so all
 * sessions and tokens end, and the user is notified in case they did not ask for it.
 */
@Injectable()
export class SecondFactorResetService {
  constructor(
    private readonly users: UsersService,
    private readonly signIns: ActiveGrants,
    private readonly factors: SecondFactorService,
    private readonly locks: SecondFactorLock,
    private readonly changes: AccountChanges,
  ) {}

  /** @throws InsufficientPermissions, UserNotFound, OwnSecondFactorElsewhere, NoSecondFactor */
  async reset(ctx: RequestContext, userId: string): Promise<void> {
    const { actor } = ctx;
    if (!authorityOf(actor).platform) throw new InsufficientPermissions();
    if (actor.type === 'user' && actor.userId === userId) throw new OwnSecondFactorElsewhere();
    await this.changes.run(userId, async (tx) => {
      // Takes no lock: every other transaction locks the row of the second factor before that of the user.
      const user = await this.users.get(userId, tx);
      if (!(await this.factors.reset(tx, ctx, user))) throw new NoSecondFactor();
      await this.signIns.revokeAllSessionsAndTokens(tx, ctx, userId, 'second_factor_reset');
    });
    await this.locks.end(userId);
  }
}
