import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
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
import { setupKey } from '../../../credentials/second-factor/stored/second-factor.rules.js';
import { auditedAppOf } from '../../../credentials/second-factor/check/audited-app.js';
import { SecondFactorTries } from '../../../credentials/second-factor/check/second-factor-tries.service.js';
import { actingAs } from '../../../entry/entry.service.js';
import {
  SecondFactorAlreadySet,
  SetupNotBegun,
} from '../../../credentials/second-factor/stored/second-factor.errors.js';
import { SecondFactorSetup } from '../../../credentials/second-factor/management/second-factor-setup.service.js';
import {
  SETUP_RESTARTED,
  backupCodesModel,
  fewTries,
  judgeSecondFactorError,
  setupModel,
  typedCode,
} from './second-factor.pages.js';

/** Sets up a second factor during the sign-in, if the app or the tenant requires one and the user has none. */
@Injectable()
export class SecondFactorSetupStep extends SignInStep {
  readonly name = 'second_factor_setup';

  constructor(
    private readonly setup: SecondFactorSetup,
    private readonly tries: SecondFactorTries,
    private readonly identification: Identification,
  ) {
    super();
  }

  async page({ attempt, client, user }: SignInState, _form: Form, errors: readonly FormError[]): Promise<StepPage> {
    const setup = await this.setup.begin(user!, client.app.name, setupKey(attempt));
    return {
      view: 'sign-in/second-factor-setup',
      title: message('second-factor.set_up_title', { app: client.app.name }),
      model: {
        ...setupModel(setup),
        signedInAs: user!.email,
        triesLeft: fewTries(await this.tries.left(user!), errors),
        errors,
      },
    };
  }

  async submit({ ctx, state, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    const { attempt, client, user } = state;
    if (!user) return { kind: 'continue' };
    const asUser = actingAs(ctx, user, client);
    try {
      const { backupCodes, made } = await this.setup.confirm(
        asUser,
        { user, proof: attemptProof(attempt) },
        { code: typedCode(form), auditedApp: auditedAppOf(client), within: setupKey(attempt) },
        (tx, held) => this.identification.strengthen(tx, asUser, held, attempt, presentedSession),
      );
      const model = {
        ...backupCodesModel(backupCodes, user.email),
        signedInAs: user.email,
        nextUrl: `/sign-in/${attempt.id}`,
      };
      return {
        kind: 'show',
        page: { view: 'sign-in/backup-codes', title: message('second-factor.save_your_codes'), model },
        ssoToken: made,
      };
    } catch (error) {
      // Another window was first, or the account has changed: the state machine decides what comes next.
      if (error instanceof SecondFactorAlreadySet || error instanceof ProofOutdated) return { kind: 'continue' };
      if (error instanceof SetupNotBegun) return again(409, 'code', SETUP_RESTARTED);
      return judgeSecondFactorError(error);
    }
  }
}
