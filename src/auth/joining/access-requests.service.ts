import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { Proof } from '../../users/proof.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { User } from '../../users/user.entity.js';
import { AccountSuspendedForApp, InviteCodeRequired } from '../entry/auth.errors.js';
import { actingAs } from '../entry/entry.service.js';

/** A signed-in user requests access to an app. */
@Injectable()
export class AccessRequestsService {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly proofs: ProofTransactions,
  ) {}

  /**
   * An open app enrolls the user at once, an app with approval as pending. Asking again changes nothing.
   * @param proof of the user's sign-in, which must still be valid
   * @returns the status of the enrollment
   * @throws ProofOutdated, InviteCodeRequired, AccountSuspendedForApp
   */
  async request(
    ctx: RequestContext,
    user: User,
    proof: Proof,
    client: RegisteredClient,
    message: string | null,
  ): Promise<'active' | 'pending'> {
    const { app } = client;
    const enrollment = await this.enrollment.find(user.id, app.id);
    if (enrollment) return answerFor(enrollment.status);
    if (app.registrationPolicy === 'invite' || app.isConsoleApp) throw new InviteCodeRequired();
    const status = app.registrationPolicy === 'open' ? 'active' : 'pending';
    const text = message?.trim();
    const requestMessage = status === 'pending' && text ? text : null;
    return this.proofs.run(proof, async (tx) => {
      const metadata = { by: 'request', ...(text ? { message: text } : {}) };
      const roles = app.config.auto_assign_roles;
      const request = { status, requestMessage, metadata, joinsThemselves: true } as const;
      const enrolled = { userId: user.id, app, roles, ...request };
      if (await this.enrollment.enroll(tx, actingAs(ctx, user, client), enrolled)) return status;
      // Another request, or an administrator, has enrolled the user in the meantime.
      const meanwhile = await this.enrollment.find(user.id, app.id, tx);
      return answerFor(meanwhile?.status ?? status);
    });
  }
}

function answerFor(status: 'active' | 'pending' | 'suspended'): 'active' | 'pending' {
  if (status === 'suspended') throw new AccountSuspendedForApp();
  return status;
}
