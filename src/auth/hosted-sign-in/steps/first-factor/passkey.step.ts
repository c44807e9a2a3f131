import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import type { FormError } from '../../../../common/pages/form-error.js';
import { ProofOutdated } from '../../../../users/proof-outdated.js';
import { PasskeyProof } from '../../../credentials/passkeys/ceremonies/passkey-proof.service.js';
import { InvalidPasskey } from '../../../credentials/passkeys/stored/passkeys.errors.js';
import { RelyingParty } from '../../../credentials/passkeys/ceremonies/relying-party.js';
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
import { SignInService } from '../../completion/sign-in.service.js';
import { alternativeMethodUrl } from '../../completion/alternative-methods.js';

/**
 * Sign-in with a passkey, by its button or by the suggestions of the address field. No address is required or looked
 * up, so the page does not show who has an account or a passkey.
 */
@Injectable()
export class PasskeyStep extends SignInStep {
  readonly name = 'passkey';

  constructor(
    private readonly passkeys: PasskeyProof,
    private readonly identification: Identification,
    private readonly signIns: SignInService,
    private readonly party: RelyingParty,
  ) {
    super();
  }

  page(state: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    const { attempt, client } = state;
    const isFirst = this.signIns.firstStep(client).name === this.name;
    const invitedUrl = isFirst ? alternativeMethodUrl(state, 'invited_sign_up') : null;
    return {
      view: 'sign-in/passkey',
      title: message('sign-in.passkey.title', { app: client.app.name }),
      // `unknown` is set by {@link submit} and never comes from a request, because submitted values are not kept.
      model: {
        errors,
        unknownId: form['unknown'] ?? null,
        rpId: this.party.id,
        signInUrl: isFirst ? null : `/sign-in/${attempt.id}`,
        signUpUrl: isFirst && invitedUrl === null ? alternativeMethodUrl(state, 'sign_up') : null,
        invitedUrl,
      },
    };
  }

  async submit({ ctx, state: { attempt }, form, presentedSession }: StepSubmission): Promise<StepOutcome> {
    try {
      const ssoToken = await this.passkeys.prove(
        ctx,
        `sign-in:${attempt.id}`,
        null,
        form['credential'] ?? '',
        (tx, held, { user, amr }) =>
          this.identification.identifyHeld(tx, ctx, held, attempt.id, user, amr, presentedSession),
      );
      return { kind: 'continue', ssoToken };
    } catch (error) {
      if (!(error instanceof InvalidPasskey) && !(error instanceof ProofOutdated)) throw error;
      const unknownId = error instanceof InvalidPasskey ? error.unknownId : null;
      const form: Form = unknownId ? { unknown: unknownId.toString('base64url') } : {};
      return again(401, null, message('sign-in.passkey.failed'), { form });
    }
  }
}
