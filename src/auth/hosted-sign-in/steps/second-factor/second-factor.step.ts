import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import type { User } from '../../../../users/user.entity.js';
import { ProofOutdated } from '../../../../users/proof-outdated.js';
import { attemptProof } from '../../attempts/attempt-proof.js';
import { Identification } from '../../attempts/identification.service.js';
import {
  again,
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { actingAs } from '../../../entry/entry.service.js';
import { CODE_MISSING, fewTries, fieldOf, judgeSecondFactorError, typedCode } from './second-factor.pages.js';
import { PasskeyFactors } from '../../../credentials/passkeys/offers/passkey-factors.service.js';
import { PasskeyProof } from '../../../credentials/passkeys/ceremonies/passkey-proof.service.js';
import { countedAmr } from '../../../credentials/passkeys/stored/passkey-models.rules.js';
import { isKeyAlone } from '../../../credentials/passkeys/stored/passkey.rules.js';
import { InvalidPasskey } from '../../../credentials/passkeys/stored/passkeys.errors.js';
import { SecondFactorCheck } from '../../../credentials/second-factor/check/second-factor-check.service.js';
import { auditedAppOf } from '../../../credentials/second-factor/check/audited-app.js';
import { hasShownSecondFactor } from '../../../credentials/second-factor/stored/second-factor.rules.js';
import { SecondFactorTries } from '../../../credentials/second-factor/check/second-factor-tries.service.js';

/** A code of the authenticator app, a backup code, or a passkey, after any other first factor. */
@Injectable()
export class SecondFactorStep extends SignInStep {
  readonly name = 'second_factor';

  constructor(
    private readonly checks: SecondFactorCheck,
    private readonly tries: SecondFactorTries,
    private readonly identification: Identification,
    private readonly factors: PasskeyFactors,
    private readonly passkeys: PasskeyProof,
  ) {
    super();
  }

  async page(state: SignInState, _form: Form, errors: readonly FormError[]): Promise<StepPage> {
    const { attempt, client, user } = state;
    const triesLeft = user && fewTries(await this.tries.left(user), errors);
    const takesPasskey = user !== null && !isKeyAlone(attempt.amr);
    const hasPasskey = takesPasskey && (await this.factors.listForSecondFactor(user, client.tenant)).length > 0;
    const backup = errors.some(({ field }) => field === 'backup_code');
    return {
      view: 'sign-in/second-factor',
      title: message('second-factor.title', { app: client.app.name }),
      model: {
        signedInAs: user?.email ?? '',
        // A second code does not make the sign-in stronger.
        asksForCode: user?.totpEnabledAt !== null && !hasShownSecondFactor(countedAmr(client.tenant, attempt.amr)),
        skipAction: mayBeSkipped(state) ? `/sign-in/${attempt.id}/${this.name}` : null,
        lostUrl:
          hasPasskey && state.entry === 'second_factor_due' && user.totpEnabledAt === null
            ? `/sign-in/${attempt.id}/passkey_recovery`
            : null,
        passkeyAction: hasPasskey ? `/sign-in/${attempt.id}/second_factor` : null,
        passkeyIsLast: false,
        triesLeft,
        backup,
        errors,
      },
    };
  }

  async submit(submission: StepSubmission): Promise<StepOutcome> {
    const { ctx, state, form, presentedSession } = submission;
    const { attempt, client, user } = state;
    if (!user) return { kind: 'continue' };
    if (form['skip'] !== undefined) return this.skip(state);
    if (form['credential'] !== undefined) return this.showPasskey(submission, user, form['credential']);
    const code = typedCode(form);
    const field = fieldOf(form);
    if (!code) return again(422, field, CODE_MISSING[field]);
    const asUser = actingAs(ctx, user, client);
    try {
      const claimant = { user, proof: attemptProof(attempt) };
      const ssoToken = await this.checks.prove(
        asUser,
        claimant,
        { code, auditedApp: auditedAppOf(client) },
        (tx, held) => this.identification.strengthen(tx, asUser, held, attempt, presentedSession),
      );
      return { kind: 'continue', ssoToken };
    } catch (error) {
      // The sign-in page shows the reason.
      if (error instanceof ProofOutdated) return { kind: 'continue' };
      return judgeSecondFactorError(error, field);
    }
  }

  private async skip(state: SignInState): Promise<StepOutcome> {
    if (mayBeSkipped(state)) await this.identification.skipAcr(state.attempt);
    return { kind: 'continue' };
  }

  private async showPasskey(
    { ctx, state, presentedSession }: StepSubmission,
    user: User,
    answer: string,
  ): Promise<StepOutcome> {
    const { attempt, client } = state;
    const asUser = actingAs(ctx, user, client);
    try {
      const claimant = { user, proof: attemptProof(attempt) };
      const ssoToken = await this.passkeys.prove(
        asUser,
        `second-factor:${attempt.id}`,
        claimant,
        answer,
        (tx, held, { amr }) => this.identification.strengthen(tx, asUser, held, attempt, presentedSession, amr),
      );
      return { kind: 'continue', ssoToken };
    } catch (error) {
      if (error instanceof ProofOutdated) return { kind: 'continue' };
      if (!(error instanceof InvalidPasskey)) throw error;
      return again(401, null, message('second-factor.passkey_failed'));
    }
  }
}

/**
 * Only the `acr_values` of the app ask for it, so a user who does not have the passkey available can continue without
 * it.
 */
function mayBeSkipped({ entry, attempt }: SignInState): boolean {
  return entry === 'enter' && !attempt.request.acr?.isEssential;
}
