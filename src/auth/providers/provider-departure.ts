import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { faultAnswer } from '../sign-in/authorization-answer.rules.js';
import { type RawParameters, readAppId, readRedirectUri, readRequest } from '../sign-in/authorization-request.rules.js';
import { BrowserAttempts } from '../sign-in/browser-attempts.js';
import { restartUri, SignInPages } from '../sign-in/sign-in-pages.js';
import { SignInExpired } from '../sign-in/sign-in.errors.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import type { SignInState } from '../sign-in/sign-in-step.js';
import type { ExternalProvider } from './external-provider.js';
import { ProviderPages } from './provider-pages.js';
import { redirect } from './redirect.js';
import { isHint, type ProviderHints, readHints, withoutHints } from './start.rules.js';
import { ProviderStates } from './state/provider-states.service.js';
import { allowsMethod } from '../allows-method.rules.js';

/** The way out: from our sign-in page or straight from an app to the provider. Always with a saved attempt. */
@Injectable()
export class ProviderDeparture {
  private readonly logger = new Logger(ProviderDeparture.name);

  constructor(
    private readonly states: ProviderStates,
    private readonly signIns: SignInService,
    private readonly directory: AppDirectory,
    private readonly attempts: BrowserAttempts,
    private readonly signInPages: SignInPages,
    private readonly pages: ProviderPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The sign-in page's button. @throws SignInExpired for an attempt that is not this browser's, or too old */
  async fromPage(provider: ExternalProvider, attemptId: unknown, request: Request, response: Response): Promise<void> {
    const found = await this.attempts.find(attemptId, request);
    const state = found && (await this.signIns.readState(found.attempt));
    if (!state) throw new SignInExpired();
    const { attempt, secret } = found;
    if (attempt.finishedAt) return redirect(response, restartUri(attempt));
    const { loginHint, prompt } = attempt.request;
    const hints = {
      loginHint: loginHint !== null && isHint(loginHint) ? loginHint : null,
      prompt: prompt === 'login' ? prompt : null,
    };
    await this.depart(provider, state, secret, hints, true, response);
  }

  /** An app's own button: the same request as at /login, with fewer words. */
  async fromApp(
    ctx: RequestContext,
    provider: ExternalProvider,
    given: RawParameters,
    request: Request,
    response: Response,
  ): Promise<void> {
    const raw = provider.name === 'google' ? given : withoutHints(given);
    const named = readAppId(raw);
    if ('fault' in named) return this.signInPages.showFault(ctx.requestId, response, named.fault, null);
    const known = await this.directory.findOpen(named.appId);
    if (!known) {
      const fault = { parameter: 'app_id', received: named.appId, problem: 'unknown' } as const;
      return this.signInPages.showFault(ctx.requestId, response, fault, null);
    }
    const target = readRedirectUri(withDefault(raw, known), known.redirectUris, this.settings.baseUrl);
    if ('fault' in target) return this.signInPages.showFault(ctx.requestId, response, target.fault, known);
    const asked = readRequest(raw, target.redirectUri, known.app.config);
    const hints = readHints(raw);
    if ('fault' in asked)
      return this.signInPages.answer(
        response,
        faultAnswer(raw, target.redirectUri, asked.fault, this.settings.baseUrl),
      );
    if ('fault' in hints) {
      const fault = { error: 'invalid_request', description: `${hints.fault} is not acceptable` };
      return this.signInPages.answer(response, faultAnswer(raw, target.redirectUri, fault, this.settings.baseUrl));
    }
    const begun = await this.attempts.begin(known.app.id, asked.request, null, request, response);
    const state = { attempt: begun.attempt, known, user: null, entry: null };
    await this.depart(provider, state, begun.secret, hints, false, response);
  }

  private async depart(
    provider: ExternalProvider,
    state: SignInState,
    secret: string,
    hints: ProviderHints,
    fromPage: boolean,
    response: Response,
  ): Promise<void> {
    const stranded = { state, secret, provider: provider.name, fromPage };
    if (!allowsMethod(state.known.app, provider.name)) return this.pages.fail(response, stranded, 'not_allowed');
    const trip = { browserHash: state.attempt.browserHash, attemptId: state.attempt.id, linkUserId: null };
    try {
      redirect(response, await this.states.depart(provider, { ...trip, fromPage, ...hints }));
    } catch (error) {
      this.logger.warn(`${provider.name}: ${(error as Error).message}`);
      await this.pages.fail(response, stranded, 'unavailable');
    }
  }
}

/** The first registered address where the app names none. */
function withDefault(raw: RawParameters, { redirectUris }: KnownApp): RawParameters {
  const { redirect_uri: given } = raw;
  return given === undefined || given === '' ? { ...raw, redirect_uri: redirectUris[0] } : raw;
}
