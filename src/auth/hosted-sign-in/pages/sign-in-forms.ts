import { Injectable } from '@nestjs/common';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { AttemptAccess } from '../attempts/attempt-access.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { answersForAnother } from './shown-user.js';
import { SignInPages } from './sign-in-pages.js';
import { SignInResponder } from './sign-in-responder.js';
import type { Form } from '../attempts/sign-in-step.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';
import { SignInService } from '../completion/sign-in.service.js';

/** POST /sign-in/{attempt}/{step}: the form of a step. */
@Injectable()
export class SignInForms {
  constructor(
    private readonly access: AttemptAccess,
    private readonly signIns: SignInService,
    private readonly sessions: SsoSessionsService,
    private readonly responder: SignInResponder,
    private readonly pages: SignInPages,
  ) {}

  async submit(hosted: HostedRequest, attemptId: string, stepName: string, form: Form): Promise<void> {
    const { ctx, request, response } = hosted;
    const { state, secret } = await this.access.openForForm(attemptId, request);
    const step = this.signIns.step(stepName);
    if (!step) throw new SignInExpired();
    if (!this.signIns.isDue(step, state) || answersForAnother(state.user, form))
      return this.responder.redirect(hosted, attemptId);
    const outcome = await step.submit({ ctx, state, form, presentedSession: this.sessions.presented(request) });
    if (outcome.kind !== 'again' && outcome.ssoToken) this.sessions.send(response, outcome.ssoToken);
    if (outcome.kind === 'continue') return this.responder.continue(hosted, step, attemptId);
    if (outcome.kind === 'show') return this.pages.showPage(response, secret, outcome.page, state);
    if (outcome.retryAfter !== undefined) response.setHeader('Retry-After', outcome.retryAfter);
    await this.pages.showStep(response, secret, step, state, outcome);
  }
}
