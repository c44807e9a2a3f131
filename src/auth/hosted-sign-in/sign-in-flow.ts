import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { answerPrefetch } from '../../common/http/prefetch.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { TokenVerifier } from '../../tokens/token-verifier.js';
import type { HeldProof } from '../../users/proof-guard.js';
import type { User } from '../../users/user.entity.js';
import { Transactions } from '../../database/transactions.js';
import type { LiveSession } from '../session/sso-sessions.repository.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { AccountPlace } from './account-places.js';
import { FAILURE_REASONS, failureAnswer, faultAnswer } from './authorization-answer.rules.js';
import {
  type RawParameters,
  readAppId,
  readRedirectUri,
  readRequest,
  requestQuery,
} from './authorization-request.rules.js';
import { BrowserAttempts } from './browser-attempts.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { Identification } from './identification.service.js';
import { LastMethod } from '../session/last-method.js';
import { OnwardRedirect } from './onward-redirect.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import { restartUri, SignInPages } from './sign-in-pages.js';
import type { Form, SignInState } from './sign-in-step.js';
import { accountRequest, type AuthorizationRequest } from './authorization-request.js';
import { SignInExpired } from './sign-in.errors.js';
import { SignInService } from './sign-in.service.js';
import { SpentLink } from './spent-link.js';

/** Somebody whose first factor was given elsewhere. */
export interface ProvenPerson {
  readonly held: HeldProof;
  /** As they are now, with what the proof itself has changed. */
  readonly user: User;
  readonly amr: readonly string[];
}

/** The hosted sign-in over HTTP: cookies, form tokens, pages and redirects around {@link SignInService}. */
@Injectable()
export class SignInFlow {
  constructor(
    private readonly signIns: SignInService,
    private readonly attempts: SignInAttemptsRepository,
    private readonly directory: AppDirectory,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly browserAttempts: BrowserAttempts,
    private readonly pages: SignInPages,
    private readonly onward: OnwardRedirect,
    private readonly lastMethod: LastMethod,
    private readonly transactions: Transactions,
    private readonly identification: Identification,
    private readonly verifier: TokenVerifier,
    private readonly spentLink: SpentLink,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** GET and POST /login. */
  async authorize(ctx: RequestContext, raw: RawParameters, request: Request, response: Response): Promise<void> {
    if (answerPrefetch(request, response)) return;
    if (isAboutSpentLink(raw)) return this.spentLink.explain(raw, request, response);
    const named = readAppId(raw);
    if ('fault' in named) return this.pages.showFault(ctx.requestId, response, named.fault, null);
    const known = await this.directory.findOpen(named.appId);
    if (!known) {
      return this.pages.showFault(
        ctx.requestId,
        response,
        { parameter: 'app_id', received: named.appId, problem: 'unknown' },
        null,
      );
    }
    const target = readRedirectUri(raw, known.redirectUris, this.settings.baseUrl);
    if ('fault' in target) return this.pages.showFault(ctx.requestId, response, target.fault, known);
    const asked = readRequest(raw, target.redirectUri, known.app.config);
    if ('fault' in asked)
      return this.pages.answer(response, faultAnswer(raw, target.redirectUri, asked.fault, this.settings.baseUrl));
    if (raw['error'] === 'invalid_magic_link') return this.spentLink.explainTo(known, asked.request, request, response);
    const subject = meantBy(asked.request.subject, await this.readHint(raw, known));
    const found = await this.sessions.find(request);
    // Whoever else is signed in here is not whom the app means: the person it means may sign in beside them.
    const session = !asked.request.create && (subject === null || subject.includes(found?.userId ?? '')) ? found : null;
    await this.start(ctx, known, { ...asked.request, subject }, session, request, response);
  }

  /**
   * Whom the app expects, by an ID token of its own that it sends along (OpenID Connect Core 3.1.2.1). One that proves
   * nothing, because it was changed or its key has been retired, counts as none: the app compares `sub` itself.
   */
  private async readHint(raw: RawParameters, { app }: KnownApp): Promise<string | null> {
    const hint = raw['id_token_hint'];
    const claims = typeof hint === 'string' ? await this.verifier.readHint(hint) : null;
    return claims?.aud === app.id ? claims.sub : null;
  }

  /**
   * A sign-in whose first factor is given elsewhere (a mailed link): from here on like every other.
   * @param prove spends what proves the person, in the transaction that identifies the attempt; null: it proves nobody
   * @returns whether somebody was identified and the response has been sent
   */
  async enter(
    ctx: RequestContext,
    known: KnownApp,
    asked: AuthorizationRequest,
    prove: (tx: EntityManager) => Promise<ProvenPerson | null>,
    request: Request,
    response: Response,
  ): Promise<boolean> {
    const { id, browserHash } = (await this.browserAttempts.begin(known.app.id, asked, null, request, response))
      .attempt;
    const presented = this.sessions.presented(request);
    const identified = await this.transactions.run((tx) => this.identify(tx, ctx, id, prove, presented));
    if (!identified) return false;
    if (identified.ssoToken) this.sessions.send(response, identified.ssoToken);
    const attempt = await this.signIns.find(id, browserHash);
    const state = attempt && (await this.signIns.readState(attempt));
    if (!state) throw new SignInExpired();
    const progression = await this.signIns.proceed(ctx, state);
    if (progression.kind === 'answer') await this.pages.answer(response, progression.answer);
    else await this.onward.send(request, response, `/sign-in/${id}`);
    return true;
  }

  private async identify(
    tx: EntityManager,
    ctx: RequestContext,
    attemptId: string,
    prove: (tx: EntityManager) => Promise<ProvenPerson | null>,
    presented: string | null,
  ): Promise<{ ssoToken: string | null } | null> {
    const proven = await prove(tx);
    if (!proven) return null;
    const { held, user, amr } = proven;
    return { ssoToken: await this.identification.identifyHeld(tx, ctx, held, attemptId, user, amr, presented) };
  }

  /** GET /account/sign-in: as at an app, but it ends at the person's own account page. */
  async enterAccount(
    ctx: RequestContext,
    known: KnownApp,
    fresh: boolean,
    place: AccountPlace | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const asked = accountRequest(this.settings.baseUrl, fresh, place);
    const session = await this.sessions.find(request);
    await this.start(ctx, known, asked, session, request, response);
  }

  /** POST /login from another site: the same request as a GET, with which browsers send our cookies. */
  askAgain(raw: RawParameters, request: Request, response: Response): Promise<void> {
    return this.onward.send(request, response, `/login?${requestQuery(raw)}`);
  }

  /** GET /sign-in/{attempt}: wherever the attempt stands. */
  async resume(ctx: RequestContext, attemptId: string, request: Request, response: Response): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const { state, secret } = await this.load(attemptId, request);
    await this.proceed(ctx, state, secret, request, response);
  }

  /** GET /sign-in/{attempt}/{step}: another way in than the one shown first. */
  async showOffered(
    ctx: RequestContext,
    attemptId: string,
    stepName: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const { state, secret } = await this.load(attemptId, request);
    const step = this.signIns.offered(state, stepName);
    if (!step) return this.proceed(ctx, state, secret, request, response);
    await this.pages.showStep(response, secret, step, state);
  }

  /** GET /sign-in/{attempt}/back: the person gives up, and the app is told why by a form. */
  async goBack(attemptId: string, reason: unknown, request: Request, response: Response): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const { state } = await this.load(attemptId, request);
    const { attempt, known } = state;
    if (attempt.request.purpose === 'account' || known.app.isConsoleApp) throw new SignInExpired();
    const why = FAILURE_REASONS.find((each) => each === reason) ?? 'access_denied';
    await this.pages.answer(response, failureAnswer(attempt.request, why, this.settings.baseUrl));
  }

  /** POST /sign-in/{attempt}/{step}. */
  async submit(
    ctx: RequestContext,
    attemptId: string,
    stepName: string,
    form: Form,
    request: Request,
    response: Response,
  ): Promise<void> {
    this.browser.checkAttemptForm(request, attemptId);
    const { state, secret } = await this.load(attemptId, request);
    const step = this.signIns.step(stepName);
    if (!step) throw new SignInExpired();
    if (!this.signIns.isDue(step, state)) return this.onward.send(request, response, `/sign-in/${attemptId}`);
    const outcome = await step.submit({ ctx, state, form, presentedSession: this.sessions.presented(request) });
    if (outcome.kind !== 'again' && outcome.ssoToken) this.sessions.send(response, outcome.ssoToken);
    if (outcome.kind === 'continue' && step.name === 'password') this.lastMethod.remember(response, step.name);
    if (outcome.kind === 'continue') return this.onward.send(request, response, `/sign-in/${attemptId}`);
    if (outcome.kind === 'show') return this.pages.showPage(response, secret, outcome.page, state);
    if (outcome.retryAfter !== undefined) response.setHeader('Retry-After', outcome.retryAfter);
    await this.pages.showStep(response, secret, step, state, outcome);
  }

  /** POST /sign-in/{attempt}/other-account: forgets who this is, in the attempt and in the browser. */
  async switchAccount(ctx: RequestContext, attemptId: string, request: Request, response: Response): Promise<void> {
    this.browser.checkAttemptForm(request, attemptId);
    const { state } = await this.load(attemptId, request);
    await this.transactions.run((tx) => this.attempts.forget(tx, state.attempt.id));
    await this.sessions.end(ctx, request, response);
    await this.onward.send(request, response, `/sign-in/${attemptId}`);
  }

  private async start(
    ctx: RequestContext,
    known: KnownApp,
    asked: AuthorizationRequest,
    session: LiveSession | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { attempt, secret } = await this.browserAttempts.begin(known.app.id, asked, session, request, response);
    const state = await this.signIns.readState(attempt);
    if (!state) throw new SignInExpired();
    await this.proceed(ctx, state, secret, request, response);
  }

  private async load(attemptId: string, request: Request): Promise<{ state: SignInState; secret: string }> {
    const found = await this.browserAttempts.find(attemptId, request);
    if (!found) throw new SignInExpired();
    const { attempt, secret } = found;
    // Who signs out (or is signed out by a reset) takes along what was begun as them: the browser may be shared.
    const state = await this.signIns.readState(attempt);
    if (!state) throw new SignInExpired();
    const isTheirs = this.hasNoSessionYet(state) || (await this.sessions.find(request))?.userId === attempt.userId;
    return { state: isTheirs ? state : { ...state, user: null, entry: null }, secret };
  }

  /** Nobody is known, or only by a first factor where a second is due: the session begins with the second. */
  private hasNoSessionYet({ attempt, entry }: SignInState): boolean {
    return attempt.userId === null || (entry === 'second_factor_due' && !attempt.viaSso);
  }

  private async proceed(
    ctx: RequestContext,
    state: SignInState,
    secret: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    const progression = await this.signIns.proceed(ctx, state);
    switch (progression.kind) {
      case 'page':
        return this.pages.showStep(response, secret, progression.step, progression.state, progression.again);
      case 'answer':
        return this.pages.answer(response, progression.answer);
      case 'restart':
        return this.onward.send(request, response, restartUri(progression.attempt));
    }
  }
}

/** Both where both are given: whoever is named by one alone is not meant. */
function meantBy(subjects: AuthorizationRequest['subject'], hinted: string | null): readonly string[] | null {
  if (hinted === null) return subjects === null ? null : [subjects].flat();
  return subjects === null || subjects.includes(hinted) ? [hinted] : [];
}

/** We lead here ourselves, with a saved attempt or without an app; an app that leads here brings a whole request. */
function isAboutSpentLink(raw: RawParameters): boolean {
  const isWhole = raw['app_id'] !== undefined || raw['client_id'] !== undefined;
  return raw['error'] === 'invalid_magic_link' && (raw['attempt'] !== undefined || !isWhole);
}
