import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { readEmail } from '../../common/validation/email.rules.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import type { FoundInvite } from '../../invites/redemption/invite-redemption.service.js';
import { InviteNotForThisEmail } from '../../invites/invite/invites.errors.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import type { DirectSignInResult } from '../api-sign-in/direct-sign-in.service.js';
import { acceptsMethods } from '../entry/methods/sign-in-methods.rules.js';
import { GuessLimit } from './invitation/guess-limit.js';
import { InvitedNewUser } from './invited-new-user.service.js';
import { InvitedUser } from './invited-user.service.js';
import { Invitations } from './invitation/invitations.js';
import { SignInToAccept } from './joining.errors.js';
import type { SignedIn } from './signed-in-user.js';

export interface Acceptance {
  readonly code: string;
  /** Null: the app of the invite. */
  readonly appId: string | null;
  /** Null: the address of the signed-in user, or else the address that the invite was mailed to. */
  readonly email: string | null;
  readonly displayName: string | null;
  readonly password: string | null;
  readonly deviceId: string | null;
  /** Value of the SSO cookie in the request, whose session is replaced if a new one begins; null: none. */
  readonly replacedSession: string | null;
}

/** Accepts an invite by JSON, for a new user or a user who has an account. */
@Injectable()
export class InviteAcceptance {
  constructor(
    private readonly invitations: Invitations,
    private readonly users: UsersService,
    private readonly newUsers: InvitedNewUser,
    private readonly invitedUser: InvitedUser,
    private readonly guesses: GuessLimit,
  ) {}

  /**
   * @param me the user whom the request identifies; null: none
   * @throws InvalidAppId, InvalidInvite, InviteNotForThisEmail, SignInToAccept, RateLimited, and what
   *   {@link InvitedNewUser} and {@link InvitedUser} throw
   */
  async accept(ctx: RequestContext, input: Acceptance, me: SignedIn | null): Promise<DirectSignInResult> {
    return this.guesses.watch(ctx, input.code, input.email ?? me?.user.email ?? null, async () => {
      try {
        return await this.acceptAs(ctx, input, me);
      } catch (error) {
        if (!(error instanceof UserAlreadyExists)) throw error;
        // Two concurrent requests tried to create an account with the same address. For the second one, the account
        // exists now.
        return this.acceptAs(ctx, input, me, true);
      }
    });
  }

  /** @param isCounted whether this request has been counted already */
  private async acceptAs(
    ctx: RequestContext,
    input: Acceptance,
    me: SignedIn | null,
    isCounted = false,
  ): Promise<DirectSignInResult> {
    const { found, client } = await this.invitations.getUsable(input.code, input.appId, me?.user.id ?? null);
    const email = addressOf(input, found, me);
    // The answer says whether the address has an account.
    if (!isCounted && me?.user.emailCanonical !== readEmail(email)?.canonical) await this.newUsers.count(ctx);
    const existing = await this.users.findByEmail(email);
    if (existing) {
      // A sign-in that this app would not accept proves nothing here.
      const identification = me?.user.id === existing.id && acceptsMethods(client, me.amr) ? me : null;
      return this.invitedUser.accept(ctx, client, found, existing, identification, input);
    }
    if (input.displayName === null) throw InvalidInput.field('display_name', 'Field required', 'missing');
    return this.newUsers.accept(ctx, client, { ...input, email, displayName: input.displayName });
  }
}

/**
 * The address of the user who accepts.
 * @throws SignInToAccept if neither the request nor the invite has one, InviteNotForThisEmail
 */
function addressOf(input: Acceptance, { invite }: FoundInvite, me: SignedIn | null): string {
  const email = input.email ?? me?.user.emailCanonical ?? invite.email;
  if (email === null) throw new SignInToAccept();
  if (invite.emailCanonical !== null && invite.emailCanonical !== readEmail(email)?.canonical)
    throw new InviteNotForThisEmail();
  return email;
}
