import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { ProviderName } from '../../../config/provider-settings.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { AppStart, type StartedAttempt } from './app-start.js';
import { PageStart } from './page-start.js';
import type { PassportInput, PreparedRequest } from '../pages/prepared-request.js';
import { ProviderLinking } from '../pages/provider-linking.js';
import { ProviderPages } from '../pages/provider-pages.js';
import { ProviderStates } from '../state/provider-states.service.js';

/** Prepares the redirect to the provider: from our sign-in page, from an app, or to link an identity. */
@Injectable()
export class ProviderStart {
  constructor(
    private readonly page: PageStart,
    private readonly app: AppStart,
    private readonly linking: ProviderLinking,
    private readonly states: ProviderStates,
    private readonly pages: ProviderPages,
  ) {}

  /**
   * @returns null if the request has been answered
   * @throws SignInExpired if the attempt belongs to another browser or has expired
   */
  async prepare(provider: ProviderName, request: PreparedRequest, response: Response): Promise<PassportInput | null> {
    if (request.method === 'POST') return this.linking.confirmed(provider, request, response);
    if (request.query['link'] !== undefined) return this.linking.start(provider, request, response);
    const started =
      request.query['attempt'] === undefined
        ? await this.app.begin(provider, request, response)
        : await this.page.resume(provider, request, response);
    return started && this.goOn(started, response);
  }

  private async goOn({ attempt, hints }: StartedAttempt, response: Response): Promise<PassportInput | null> {
    const { state, provider, fromPage } = attempt;
    if (!allowsMethod(state.client.app, provider)) {
      await this.pages.fail(response, attempt, 'not_allowed');
      return null;
    }
    const kept = { browserHash: state.attempt.browserHash, attemptId: state.attempt.id, linkUserId: null, fromPage };
    return {
      purpose: { kind: 'sign_in', attempt },
      options: { ...hints, ...this.states.startOf(kept) },
      failure: null,
    };
  }
}
