import { Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import { PasskeyOffers } from '../../credentials/passkeys/offers/passkey-offers.service.js';
import { PasskeyRegistration } from '../../credentials/passkeys/ceremonies/passkey-registration.service.js';
import {
  InvalidPasskey,
  PasskeyAlreadyAdded,
  PasskeyModelNotAccepted,
} from '../../credentials/passkeys/stored/passkeys.errors.js';
import { Passkeys } from '../../credentials/passkeys/management/passkeys.service.js';
import { actingAs } from '../../entry/entry.service.js';
import { attemptProof } from '../attempts/attempt-proof.js';
import type { FormError } from '../../../common/pages/form-error.js';
import {
  again,
  type Form,
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../attempts/sign-in-step.js';

/**
 * Offers a passkey after a complete sign-in with a password. The script of the page also asks the browser to create one
 * without a question (WebAuthn Level 3, section 5.1.3, mediation `conditional`), which password managers do if they
 * have just filled in the password.
 */
@Injectable()
export class OfferPasskeyStep extends SignInStep {
  readonly name = 'offer_passkey';

  constructor(
    private readonly registration: PasskeyRegistration,
    private readonly passkeys: Passkeys,
    private readonly offers: PasskeyOffers,
    private readonly proofs: ProofTransactions,
  ) {
    super();
  }

  page({ client, user }: SignInState, _form: Form, errors: readonly FormError[]): StepPage {
    return {
      view: 'sign-in/offer-passkey',
      title: message('sign-in.offer_passkey.title', { app: client.app.name }),
      model: { signedInAs: user?.email ?? '', errors },
    };
  }

  async submit({ ctx, state: { attempt, client, user }, form }: StepSubmission): Promise<StepOutcome> {
    if (!user) return { kind: 'continue' };
    if (!form['credential']) {
      await this.offers.decline(user.id);
      return { kind: 'continue' };
    }
    try {
      const made = await this.registration.verify(form['credential'], `register:${attempt.id}`, 'maybe_silent');
      await this.proofs.run(attemptProof(attempt), (tx, held) =>
        this.passkeys.add(tx, held, actingAs(ctx, user, client), made),
      );
      return { kind: 'continue' };
    } catch (error) {
      // The sign-in page shows the reason.
      if (error instanceof ProofOutdated) return { kind: 'continue' };
      return offerAgain(error);
    }
  }
}

function offerAgain(error: unknown): StepOutcome {
  if (error instanceof InvalidPasskey || error instanceof PasskeyAlreadyAdded)
    return again(400, null, message('sign-in.offer_passkey.failed'));
  if (error instanceof PasskeyModelNotAccepted) return again(409, null, message('sign-in.offer_passkey.other_model'));
  throw error;
}
