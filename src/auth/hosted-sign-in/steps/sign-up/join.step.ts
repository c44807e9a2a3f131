import { Injectable } from '@nestjs/common';
import { message } from '../../../../common/i18n/message.js';
import { EnrollmentService } from '../../../../enrollment/memberships/enrollment.service.js';
import { ProofOutdated } from '../../../../users/proof-outdated.js';
import { ProofTransactions } from '../../../../users/proof-transactions.js';
import { actingAs } from '../../../entry/entry.service.js';
import { attemptProof } from '../../attempts/attempt-proof.js';
import {
  type SignInState,
  SignInStep,
  type StepOutcome,
  type StepPage,
  type StepSubmission,
} from '../../attempts/sign-in-step.js';

/** Enrolls a user who is not a member yet, at an app with open registration. */
@Injectable()
export class JoinStep extends SignInStep {
  readonly name = 'join';

  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly proofs: ProofTransactions,
  ) {
    super();
  }

  page({ client, user }: SignInState): StepPage {
    return {
      view: 'sign-in/join',
      title: message('sign-in.join.heading', { app: client.app.name }),
      model: { signedInAs: user?.email ?? '' },
    };
  }

  /** Enrolls only if the proof of the user is still valid; otherwise the next page asks for a new sign-in. */
  async submit({ ctx, state: { attempt, client, user, entry } }: StepSubmission): Promise<StepOutcome> {
    const { app } = client;
    if (!user || entry !== 'not_enrolled' || app.registrationPolicy !== 'open' || app.isConsoleApp)
      return { kind: 'continue' };
    const roles = app.config.auto_assign_roles;
    const enrolled = { userId: user.id, app, roles, status: 'active', joinsThemselves: true } as const;
    try {
      await this.proofs.run(attemptProof(attempt), (tx) =>
        this.enrollment.enroll(tx, actingAs(ctx, user, client), enrolled),
      );
    } catch (error) {
      if (!(error instanceof ProofOutdated)) throw error;
    }
    return { kind: 'continue' };
  }
}
