import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asksConsent } from '../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { proofOf } from '../../users/proof.js';
import { ProofGuard } from '../../users/proof-guard.js';
import type { User } from '../../users/user.entity.js';
import { InvalidAppId } from '../entry/auth.errors.js';
import { EntryRefused } from '../entry/entry-refused.js';
import { type IssuedTokens, SignInEnding } from '../sign-in/sign-in-ending.service.js';
import { type DirectSignIn, DirectSignInService, shownBy, type SignedInResult } from './direct-sign-in.service.js';
import { SignInDemands } from './sign-in-demands.service.js';

/** The first sign-in of an account by JSON, in the transaction that creates the account. */
@Injectable()
export class FirstSignIn {
  constructor(
    private readonly signIns: DirectSignInService,
    private readonly ending: SignInEnding,
    private readonly demands: SignInDemands,
    private readonly proofs: ProofGuard,
  ) {}

  /**
   * @returns null if more is required of the user; {@link answer} says what
   * @throws InvalidAppId if no sign-in by JSON could follow, so that no account is created
   */
  async make(tx: EntityManager, ctx: RequestContext, signIn: DirectSignIn): Promise<IssuedTokens | null> {
    if (asksConsent(signIn.client.app)) throw new InvalidAppId();
    if (this.demands.areLeft(signIn.client, signIn.user)) return null;
    try {
      const held = await this.proofs.hold(tx, proofOf(signIn.user));
      return await this.ending.giveTokens(tx, ctx, held, shownBy(signIn));
    } catch (error) {
      // The app was switched off after the request began.
      throw error instanceof EntryRefused ? new InvalidAppId() : error;
    }
  }

  /**
   * Called after the commit.
   * @throws SecondFactorRequired, EmailNotVerified: the account exists, and more is required
   */
  async answer(user: User, client: RegisteredClient, made: IssuedTokens | null): Promise<SignedInResult> {
    if (!made) throw await this.demands.refusalOfNew(user, client);
    return this.signIns.answer(made);
  }
}
