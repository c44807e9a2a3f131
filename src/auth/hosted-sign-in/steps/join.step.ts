import { Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import { Transactions } from '../../../database/transactions.js';
import { EnrollmentService } from '../../../enrollment/enrollment.service.js';
import { actingAs } from '../../entry/sign-in-completion.service.js';
import { type SignInState, SignInStep, type StepOutcome, type StepPage, type StepSubmission } from '../sign-in-step.js';

/** An account that is not enrolled yet, at an app that is open to everyone. */
@Injectable()
export class JoinStep extends SignInStep {
  readonly name = 'join';

  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly transactions: Transactions,
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

  async submit({ ctx, state: { client, user, entry } }: StepSubmission): Promise<StepOutcome> {
    const { app } = client;
    if (user && entry === 'not_enrolled' && app.registrationPolicy === 'open' && !app.isConsoleApp) {
      const enrolled = { userId: user.id, app, roles: app.config.auto_assign_roles, status: 'active' as const };
      await this.transactions.run((tx) => this.enrollment.enrol(tx, actingAs(ctx, user, client), enrolled));
    }
    return { kind: 'continue' };
  }
}
