import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { LastApp } from '../../session/last-app.js';
import { LastMethod } from '../../session/last-method.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { AttemptRedirect } from '../redirects/attempt-redirect.js';
import { SignInPages } from './sign-in-pages.js';
import type { SignInState, SignInStep } from '../attempts/sign-in-step.js';
import { type SignInProgress, SignInService } from '../completion/sign-in.service.js';

/** Advances an attempt and sends the browser the result: a page, the response to the app, or a redirect. */
@Injectable()
export class SignInResponder {
  constructor(
    private readonly signIns: SignInService,
    private readonly pages: SignInPages,
    private readonly redirects: AttemptRedirect,
    private readonly lastMethod: LastMethod,
    private readonly lastApp: LastApp,
  ) {}

  /** Shows the due page in this response. */
  async proceed(hosted: HostedRequest, state: SignInState, secret: string): Promise<void> {
    const { response } = hosted;
    const progression = await this.signIns.proceed(hosted, state);
    switch (progression.kind) {
      case 'page':
        return this.pages.showStep(response, secret, progression.step, progression.state, progression.again);
      case 'answer':
        return this.answer(response, progression, state);
      case 'restart':
        return this.redirects.again(hosted, progression.attempt);
    }
  }

  /** As {@link proceed}, from a URL that must not stay in the browser: a page is shown at the attempt's own URL. */
  async proceedElsewhere(hosted: HostedRequest, state: SignInState): Promise<void> {
    const progression = await this.signIns.proceed(hosted, state);
    if (progression.kind === 'answer') return this.answer(hosted.response, progression, state);
    await this.redirect(hosted, state.attempt.id);
  }

  /** Called after a step was completed. */
  async continue(hosted: HostedRequest, step: SignInStep, attemptId: string): Promise<void> {
    if (step.name === 'password' || step.name === 'passkey') this.lastMethod.remember(hosted.response, step.name);
    await this.redirect(hosted, attemptId);
  }

  private answer(
    response: Response,
    { answer, isByUser }: Extract<SignInProgress, { kind: 'answer' }>,
    { attempt, client }: SignInState,
  ): Promise<void> {
    if (!client.app.isConsoleApp) this.lastApp.remember(response, client.app.id);
    return this.pages.answerSignedIn(response, answer, { attempt, client }, { isByUser: isByUser === true });
  }

  /** Redirects to the current page of the attempt. */
  redirect(hosted: HostedRequest, attemptId: string): Promise<void> {
    return this.redirects.to(hosted, attemptId);
  }
}
