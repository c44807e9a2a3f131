import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { tooManyAttempts } from '../../../../common/pages/durations.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { RateLimited } from '../../../../rate-limits/rate-limited.js';
import { ProofOutdated } from '../../../../users/proof-outdated.js';
import { showsCredentials } from '../../../entry/recent-proof.rules.js';
import { actingAs } from '../../../entry/entry.service.js';
import { PasskeyRecoveryEnd } from '../../../passkey-recovery/passkey-recovery-end.service.js';
import { PasskeyRecoveryRequests } from '../../../passkey-recovery/passkey-recovery-requests.service.js';
import { accountSignInPath } from '../../authorization-request/account-sections.js';
import { attemptProof } from '../../attempts/attempt-proof.js';
import { isTooOldForRecovery } from '../../attempts/next-step.rules.js';
import {
  again,
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';

/** Replaces the second factor if all passkeys are lost: after a waiting time, the user continues without them. */
@Injectable()
export class PasskeyRecoveryStep extends SignInStep {
  readonly name = 'passkey_recovery';

  constructor(
    private readonly requests: PasskeyRecoveryRequests,
    private readonly ending: PasskeyRecoveryEnd,
  ) {
    super();
  }

  async page(state: SignInState, _form: Form, errors: readonly FormError[]): Promise<StepPage> {
    const { attempt, entry, user } = state;
    const { verdict, days, daysLeft } = await this.requests.judge(user!.id);
    const judged = entry === 'second_factor_due' ? verdict : 'refused';
    const asksPassword = owesPassword(state);
    const isToSignIn = judged !== 'refused' && (asksPassword || isTooOldForRecovery(state));
    const shown = isToSignIn ? 'sign_in_first' : judged;
    return {
      view: 'sign-in/passkey-recovery',
      title: message('sign-in.passkey_recovery.heading'),
      model: {
        isOffered: shown === 'offered',
        isWaiting: shown === 'waiting',
        isDue: shown === 'due',
        // With all methods of the service, because the app may not accept the password.
        confirmUrl: isToSignIn ? accountSignInPath({ fresh: true, anyMethod: true }) : null,
        asksPassword,
        days,
        daysLeft,
        backUrl: `/sign-in/${attempt.id}`,
        signedInAs: user!.email,
        errors,
      },
    };
  }

  async submit({ ctx, state }: StepSubmission): Promise<StepOutcome> {
    const { attempt, client, entry, user } = state;
    if (!user || entry !== 'second_factor_due') return { kind: 'continue' };
    if (owesPassword(state) || isTooOldForRecovery(state)) return { kind: 'again', status: 403, form: {}, errors: [] };
    const [asUser, proof] = [actingAs(ctx, user, client), attemptProof(attempt)];
    try {
      // The sign-in begins again, because the credentials of the account have changed.
      if (await this.ending.complete(asUser, proof)) return { kind: 'continue' };
      await this.requests.begin(asUser, user, proof);
      return { kind: 'again', status: 200, form: {}, errors: [] };
    } catch (error) {
      if (error instanceof ProofOutdated) return { kind: 'continue' };
      if (!(error instanceof RateLimited)) throw error;
      const retryAfter = error.retryAfterSeconds;
      return again(429, null, tooManyAttempts(retryAfter), { retryAfter });
    }
  }
}

/**
 * Another person at an open browser, with a session at the provider, must not remove the passkeys of a user who has a
 * password (docs/decisions/0096). Users without a password have no other credentials to show.
 */
function owesPassword({ attempt: { amr }, user }: SignInState): boolean {
  return (user?.passwordHash ?? null) !== null && !showsCredentials(amr);
}
