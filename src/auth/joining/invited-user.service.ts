import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import type { FoundInvite } from '../../invites/redemption/invite-redemption.service.js';
import { ownAccountKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { proofOf } from '../../users/proof.js';
import type { User } from '../../users/user.entity.js';
import { type DirectSignInResult, DirectSignInService } from '../api-sign-in/direct-sign-in.service.js';
import { AccountHolders } from '../access/account-holder.service.js';
import { actingAs } from '../entry/entry.service.js';
import { carriesSetUp, MAILED_CODE_AMR, viaAppOf } from './acceptance.rules.js';
import { InvitedJoin } from './invited-join.service.js';
import { SignInToAccept } from './joining.errors.js';
import type { SignedIn } from './signed-in-user.js';

/**
 * Accepts an invite for a user who has an account. A code alone is not enough to sign in, except for a mailed code at
 * its first use: it gives tokens of the inviting app, and no access to the rest of the account (docs/decisions/0085).
 */
@Injectable()
export class InvitedUser {
  constructor(
    private readonly joins: InvitedJoin,
    private readonly signIns: DirectSignInService,
    private readonly holders: AccountHolders,
    private readonly limits: RateLimitsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The user joins before a second factor is requested or set up. Until then, the membership gives no access.
   * @param me the session or token of the account; null: only the code identifies the user
   * @throws SignInToAccept, RateLimited, InviteeSuspended, InvalidInvite, and the refusals of a sign-in
   */
  async accept(
    ctx: RequestContext,
    client: RegisteredClient,
    found: FoundInvite,
    account: User,
    me: SignedIn | null,
    input: { code: string; deviceId: string | null; replacedSession: string | null },
  ): Promise<DirectSignInResult> {
    if (!account.isActive || (!me && !found.provesMailbox)) throw new SignInToAccept();
    // A member takes no use of a shared invite: without a limit, it would sign them in any number of times.
    const viaApp = viaAppOf(me?.identification ?? { kind: 'mailed_code' }, client.app);
    await this.limits.consume('own_account', ownAccountKey(account.id, viaApp));
    const asUser = actingAs(ctx, account, client);
    const user = await this.joins.join(asUser, client, account, me, input.code);
    const { deviceId, replacedSession } = input;
    const how = me
      ? ({ authTime: me.authTime, amr: me.amr, kept: me.kept, setsUpNoFactor: !this.maySetUp(me) } as const)
      : { authTime: this.clock.now(), amr: MAILED_CODE_AMR, setsUpNoFactor: true, beginsNoSession: true };
    return this.signIns.complete(
      ctx,
      { client, user, ...how, deviceId, replacedSession },
      { proof: me?.proof ?? proofOf(user), whenOutdated: () => new SignInToAccept() },
    );
  }

  private maySetUp({ identification, authTime, amr }: SignedIn): boolean {
    return carriesSetUp(identification, this.holders.isFresh({ authTime, amr, via: 'session' }));
  }
}
