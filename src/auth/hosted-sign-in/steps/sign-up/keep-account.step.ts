import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { momentInWords } from '../../../../common/pages/time-in-words.js';
import { Transactions } from '../../../../database/transactions.js';
import { proofOf } from '../../../../users/proof.js';
import { OwnDeletion } from '../../../account-deletion/own-deletion.service.js';
import { actingAs } from '../../../entry/entry.service.js';
import { SignInAttemptsRepository } from '../../attempts/sign-in-attempts.repository.js';
import { answersFor } from '../../pages/shown-user.js';
import {
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';

/**
 * "Your account will be deleted": shown to users who sign in during the waiting time. They cancel the deletion, or
 * continue.
 */
@Injectable()
export class KeepAccountStep extends SignInStep {
  readonly name = 'keep_account';

  constructor(
    private readonly deletion: OwnDeletion,
    private readonly attempts: SignInAttemptsRepository,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  page({ user }: SignInState): StepPage {
    return {
      view: 'sign-in/keep-account',
      title: message('sign-in.keep_account.heading'),
      model: {
        due: user?.deletionDueAt && momentInWords(user.deletionDueAt),
        signedInAs: user?.email ?? '',
      },
    };
  }

  async submit({ ctx, state: { attempt, user, client }, form }: StepSubmission): Promise<StepOutcome> {
    if (!user || !answersFor(user, form)) return { kind: 'continue' };
    if (form['answer'] === 'keep') await this.deletion.cancel(actingAs(ctx, user, client), user, proofOf(user));
    else await this.transactions.run((tx) => this.attempts.passDeletion(tx, attempt.id, user.id));
    return { kind: 'continue' };
  }
}
