import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { InviteRedemption } from '../../invites/redemption/invite-redemption.service.js';
import { joinedAt } from '../../tokens/protocol/amr.rules.js';
import type { User } from '../../users/user.entity.js';
import type { DirectSignInResult } from '../api-sign-in/direct-sign-in.service.js';
import { FirstSignIn } from '../api-sign-in/first-sign-in.service.js';
import { AccountRegistration } from '../registration/account-registration.service.js';
import { actingAs } from '../entry/entry.service.js';

/** What a new user with an invite enters. */
export interface InvitedSignUp {
  readonly code: string;
  readonly email: string;
  readonly displayName: string;
  readonly password: string | null;
}

/** What the same transaction does for the new user. */
type Alongside<T> = (tx: EntityManager, user: User, provesMailbox: boolean) => Promise<T>;

/** Accepts an invite for a user who has no account yet. */
@Injectable()
export class InvitedNewUser {
  constructor(
    private readonly registration: AccountRegistration,
    private readonly invites: InviteRedemption,
    private readonly firstSignIns: FirstSignIn,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a sign-up. Must be called before the address is looked up.
   * @throws RateLimited
   */
  count(ctx: RequestContext): Promise<void> {
    return this.registration.count(ctx);
  }

  /**
   * Creates the account, the enrollment and the sign-in in one transaction. The caller has called {@link count}.
   * @throws what {@link join} throws except for RateLimited, InvalidAppId, SecondFactorRequired, EmailNotVerified
   */
  async accept(
    ctx: RequestContext,
    client: RegisteredClient,
    newUser: InvitedSignUp & { deviceId: string | null; replacedSession: string | null },
  ): Promise<DirectSignInResult> {
    const { deviceId, replacedSession } = newUser;
    const { user, made } = await this.joinCounted(ctx, client, newUser, async (tx, each, provesMailbox) => {
      const amr = amrOf(newUser, provesMailbox, client);
      const signIn = { client, user: each, authTime: this.clock.now(), amr, deviceId, replacedSession };
      return this.firstSignIns.make(tx, ctx, signIn);
    });
    return this.firstSignIns.answer(user, client, made);
  }

  /**
   * Creates the account, redeems the invite and runs `alongside`, in one transaction. The code of a mailed invite
   * proves the mailbox; otherwise a verification mail is sent.
   * @throws RateLimited, PasswordLoginNotEnabled, PasswordRefused, UserAlreadyExists, InvalidInvite,
   *   InviteNotForThisEmail
   */
  async join<T>(
    ctx: RequestContext,
    client: RegisteredClient,
    newUser: InvitedSignUp,
    alongside: Alongside<T>,
  ): Promise<{ user: User; made: T }> {
    await this.count(ctx);
    return this.joinCounted(ctx, client, newUser, alongside);
  }

  private async joinCounted<T>(
    ctx: RequestContext,
    client: RegisteredClient,
    { code, email, displayName, password }: InvitedSignUp,
    alongside: Alongside<T>,
  ): Promise<{ user: User; made: T }> {
    const { app } = client;
    const prepared = await this.registration.prepare(ctx, client, { email, displayName, password });
    return this.transactions.run(async (tx) => {
      const created = await this.registration.create(tx, ctx, client, prepared, 'invite');
      const asUser = actingAs(ctx, created, client);
      const { provesMailbox } = await this.invites.redeem(tx, asUser, { code, user: created, app });
      const user = await this.registration.settleAddress(tx, ctx, client, created, provesMailbox);
      return { user, made: await alongside(tx, user, provesMailbox) };
    });
  }
}

/** `amr` of a new user's sign-in (RFC 8176). */
export function amrOf(
  { password }: Pick<InvitedSignUp, 'password'>,
  provesMailbox: boolean,
  { app }: RegisteredClient,
): string[] {
  return [...(password === null ? [joinedAt(app)] : ['pwd']), ...(provesMailbox ? ['email'] : [])];
}
