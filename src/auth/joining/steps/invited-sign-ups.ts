import { Injectable } from '@nestjs/common';
import { type FirstCredential, FirstPasskey } from '../../credentials/passkeys/ceremonies/first-passkey.service.js';
import { passkeyAmr } from '../../credentials/passkeys/stored/passkey.rules.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { SignInMethodNotAllowed } from '../../entry/auth.errors.js';
import { actingAs } from '../../entry/entry.service.js';
import { Identification } from '../../hosted-sign-in/attempts/identification.service.js';
import { SignInAttemptsRepository } from '../../hosted-sign-in/attempts/sign-in-attempts.repository.js';
import type { StepSubmission } from '../../hosted-sign-in/attempts/sign-in-step.js';
import { GuessLimit } from '../invitation/guess-limit.js';
import { amrOf, type InvitedSignUp, InvitedNewUser } from '../invited-new-user.service.js';

/** Creates an account with an invite on the hosted page: with a password, with a passkey, or with neither. */
@Injectable()
export class InvitedSignUps {
  constructor(
    private readonly newUsers: InvitedNewUser,
    private readonly identification: Identification,
    private readonly attempts: SignInAttemptsRepository,
    private readonly guesses: GuessLimit,
    private readonly passkeys: FirstPasskey,
  ) {}

  /** @throws SignInMethodNotAllowed, InvalidPasskey, PasskeyModelNotAccepted */
  verify({ state: { attempt, client }, form }: StepSubmission): Promise<FirstCredential> {
    if (!allowsMethod(client.app, 'passkey')) throw new SignInMethodNotAllowed();
    return this.passkeys.verify(form['credential'] ?? '', `sign-up:${attempt.id}`, client.tenant);
  }

  /**
   * @returns the new value of the SSO cookie
   * @throws what `InvitedNewUser.join` throws, RateLimited, PasskeyAlreadyAdded
   */
  async create(
    { ctx, state: { attempt, client }, presentedSession }: StepSubmission,
    newUser: InvitedSignUp,
    first: FirstCredential | null,
  ): Promise<string | null> {
    const { made } = await this.guesses.watch(ctx, newUser.code, newUser.email, () =>
      this.newUsers.join(ctx, client, newUser, async (tx, user, provesMailbox) => {
        await this.attempts.dropInvite(tx, attempt.id);
        if (first) await this.passkeys.add(tx, actingAs(ctx, user, client), user, first);
        const amr = first
          ? [...passkeyAmr(first.made, first.made), ...(provesMailbox ? ['email'] : [])]
          : amrOf(newUser, provesMailbox, client);
        return this.identification.identify(tx, ctx, attempt.id, user, amr, presentedSession);
      }),
    );
    return made;
  }
}
