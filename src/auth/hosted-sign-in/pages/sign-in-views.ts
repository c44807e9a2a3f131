import { Inject, Injectable } from '@nestjs/common';
import { answerPrefetch } from '../../../common/http/browser/prefetch.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { AttemptAccess } from '../attempts/attempt-access.js';
import { FAILURE_REASONS, errorResponse } from '../authorization-request/authorization-response.rules.js';
import { endsHere } from '../authorization-request/authorization-request.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { SignInPages } from './sign-in-pages.js';
import { SignInResponder } from './sign-in-responder.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';
import { SignInService } from '../completion/sign-in.service.js';

/** The GET routes of an attempt. */
@Injectable()
export class SignInViews {
  constructor(
    private readonly access: AttemptAccess,
    private readonly signIns: SignInService,
    private readonly responder: SignInResponder,
    private readonly pages: SignInPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** GET /sign-in/{attempt}: the due page. */
  async resume(hosted: HostedRequest, attemptId: string): Promise<void> {
    if (answerPrefetch(hosted.request, hosted.response)) return;
    const { state, secret } = await this.access.open(attemptId, hosted.request);
    await this.responder.proceed(hosted, state, secret);
  }

  /** GET /sign-in/{attempt}/{step}: another sign-in method than the one shown first. */
  async showOffered(hosted: HostedRequest, attemptId: string, stepName: string): Promise<void> {
    if (answerPrefetch(hosted.request, hosted.response)) return;
    const { state, secret } = await this.access.open(attemptId, hosted.request);
    const step = this.signIns.offered(state, stepName);
    if (!step) return this.responder.proceed(hosted, state, secret);
    await this.pages.showStep(hosted.response, secret, step, state);
  }

  /** GET /sign-in/{attempt}/back: the user cancels, and the app gets the error by a form. */
  async goBack({ request, response }: HostedRequest, attemptId: string, reason: unknown): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const { state } = await this.access.open(attemptId, request);
    const { attempt, client } = state;
    if (endsHere(attempt.request) || client.app.isConsoleApp) throw new SignInExpired();
    const why = FAILURE_REASONS.find((each) => each === reason) ?? 'access_denied';
    await this.pages.answer(response, errorResponse(attempt.request, why, this.settings.baseUrl), client, {
      isByUser: true,
    });
  }
}
