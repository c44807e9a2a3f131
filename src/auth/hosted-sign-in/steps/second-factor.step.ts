import { Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { attemptProof, Identification } from '../identification.service.js';
import {
  type Form,
  SignInStep,
  type SignInState,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { actingAs } from '../../entry/sign-in-completion.service.js';
import { again, EMPTY, fewTries, fieldOf, judgeSecondFactorError, typedCode } from './second-factor.pages.js';
import { SecondFactorCheck } from '../../credentials/second-factor/second-factor-check.service.js';
import { placeOf } from '../../credentials/second-factor/second-factor-place.js';
import { SecondFactorTries } from '../../credentials/second-factor/second-factor-tries.service.js';

/** The code of the authenticator app, or a backup code, after whatever first factor. */
@Injectable()
export class SecondFactorStep extends SignInStep {
  readonly name = 'second_factor';

  constructor(
    private readonly checks: SecondFactorCheck,
    private readonly tries: SecondFactorTries,
    private readonly identification: Identification,
  ) {
    super();
  }

  async page({ client, user }: SignInState, _form: Form, errors: readonly FormError[]): Promise<StepPage> {
    const triesLeft = user && fewTries(await this.tries.left(user), errors);
    const backup = errors.some(({ field }) => field === 'backup_code');
    return {
      view: 'sign-in/second-factor',
      title: message('second-factor.title', { app: client.app.name }),
      model: { signedInAs: user?.email ?? '', triesLeft, backup, errors },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const { attempt, client, user } = state;
    if (!user) return { kind: 'continue' };
    const code = typedCode(form);
    const field = fieldOf(form);
    if (!code) return again(422, EMPTY[field], field);
    const asUser = actingAs(ctx, user, client);
    try {
      const claimant = { user, proof: attemptProof(attempt) };
      const ssoToken = await this.checks.prove(asUser, claimant, { code, place: placeOf(client) }, (tx, held) =>
        this.identification.strengthen(tx, asUser, held, attempt, presentedSession),
      );
      return { kind: 'continue', ssoToken };
    } catch (error) {
      // The sign-in page says it.
      if (error instanceof ProofOutdated) return { kind: 'continue' };
      return judgeSecondFactorError(error, field);
    }
  }
}
