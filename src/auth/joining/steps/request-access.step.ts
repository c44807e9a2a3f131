import { Inject, Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { backUri } from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import { attemptProof } from '../../hosted-sign-in/attempts/attempt-proof.js';
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
import { AccessRequestsService } from '../access-requests.service.js';
import { MAX_MESSAGE_LENGTH } from '../joining.dto.js';

/** Requests access for a signed-in user who is not enrolled, at an app whose tenant decides who may use it. */
@Injectable()
export class RequestAccessStep extends SignInStep {
  readonly name = 'request_access';

  constructor(
    private readonly requests: AccessRequestsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  page({ attempt, client, user }: SignInState, form: Form, errors: readonly FormError[]): StepPage {
    return {
      view: 'sign-in/request-access',
      title: message('sign-in.request_access.title', { app: client.app.name }),
      model: {
        message: form['message'] ?? '',
        inviteUrl: `/sign-in/${attempt.id}/invite`,
        backUrl: backUri(attempt, 'access_denied', this.settings.baseUrl),
        signedInAs: user?.email ?? '',
        errors,
      },
    };
  }

  /** The next step shows the result: waiting for approval, enrolled, or that the user has to sign in again. */
  async submit({ ctx, state: { attempt, client, user }, form }: StepSubmission): Promise<StepOutcome> {
    const text = form['message'] ?? '';
    if ([...text].length > MAX_MESSAGE_LENGTH) {
      const tooLong = message('fields.too_long', { max: MAX_MESSAGE_LENGTH });
      return again(422, 'message', tooLong, { form: { message: text } });
    }
    if (!user) return { kind: 'continue' };
    try {
      await this.requests.request(ctx, user, attemptProof(attempt), client, text);
    } catch (error) {
      if (!(error instanceof ProofOutdated)) throw error;
    }
    return { kind: 'continue' };
  }
}
