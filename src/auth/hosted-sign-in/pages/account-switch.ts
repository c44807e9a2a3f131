import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../database/transactions.js';
import { BrowserSignOut } from '../../session/browser-sign-out.js';
import { AttemptAccess } from '../attempts/attempt-access.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { SignInAttemptsRepository } from '../attempts/sign-in-attempts.repository.js';
import { SignInResponder } from './sign-in-responder.js';

/** POST /sign-in/{attempt}/other-account: removes the user from the attempt and the browser. */
@Injectable()
export class AccountSwitch {
  constructor(
    private readonly access: AttemptAccess,
    private readonly attempts: SignInAttemptsRepository,
    private readonly transactions: Transactions,
    private readonly signOut: BrowserSignOut,
    private readonly responder: SignInResponder,
  ) {}

  async switchAccount(hosted: HostedRequest, attemptId: string): Promise<void> {
    const { ctx, request, response } = hosted;
    const { state } = await this.access.openForForm(attemptId, request);
    const ssoToken = this.signOut.takeCookie(request, response);
    await this.transactions.run(async (tx) => {
      await this.attempts.forget(tx, state.attempt.id);
      if (ssoToken) await this.signOut.endSession(tx, ctx, ssoToken);
    });
    await this.responder.redirect(hosted, attemptId);
  }
}
