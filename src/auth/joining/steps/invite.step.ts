import { Inject, Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { InviteRedemption } from '../../../invites/redemption/invite-redemption.service.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import { backUri } from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import { attemptProof } from '../../hosted-sign-in/attempts/attempt-proof.js';
import { SignInAttemptsRepository } from '../../hosted-sign-in/attempts/sign-in-attempts.repository.js';
import {
  again,
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../hosted-sign-in/attempts/sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { carriesInvite } from '../../hosted-sign-in/completion/alternative-methods.js';
import { actingAs } from '../../entry/entry.service.js';
import { GuessLimit } from '../invitation/guess-limit.js';
import { inviteFormAgain, reasonToGoBack } from './invite-form.js';

/** Redeems an invite code for a signed-in user. The code is from the request, or typed on the page. */
@Injectable()
export class InviteStep extends SignInStep {
  readonly name = 'invite';

  constructor(
    private readonly invites: InviteRedemption,
    private readonly attempts: SignInAttemptsRepository,
    private readonly guesses: GuessLimit,
    private readonly proofs: ProofTransactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const { attempt, client, user, entry } = state;
    const brought = carriesInvite(state);
    const reason = reasonToGoBack(errors);
    return {
      view: 'sign-in/invite',
      title: brought ? message('sign-in.invite.title', { app: client.app.name }) : message('sign-in.invite.needed'),
      model: {
        code: form['code'] ?? attempt.request.inviteCode ?? '',
        brought,
        isMember: entry === 'enter',
        // While the code of the request has not been refused, there is no reason to go back to the app.
        backUrl: brought && reason !== 'invalid_invite' ? null : backUri(attempt, reason, this.settings.baseUrl),
        signedInAs: user?.email ?? '',
        errors,
      },
    };
  }

  async submit({ ctx, state: { attempt, client, user }, form }: StepSubmission): Promise<StepOutcome> {
    if (!user) return { kind: 'continue' };
    if (form['without'] !== undefined) {
      await this.attempts.declineInvite(attempt.id);
      return { kind: 'continue' };
    }
    const code = (form['code'] ?? '').trim();
    if (!code) {
      return again(422, 'code', message('sign-in.invite.code_missing'), { form: { code } });
    }
    try {
      await this.guesses.watch(ctx, code, user.email, () =>
        this.proofs.run(attemptProof(attempt), async (tx) => {
          await this.invites.redeem(tx, actingAs(ctx, user, client), { code, user, app: client.app });
          await this.attempts.dropInvite(tx, attempt.id);
        }),
      );
      return { kind: 'continue' };
    } catch (error) {
      return inviteFormAgain(error, { code }, 'code');
    }
  }
}
