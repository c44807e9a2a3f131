import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../common/request-context.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { RawParameters } from '../sign-in/authorization-request.rules.js';
import { BrowserAttempts } from '../sign-in/browser-attempts.js';
import { BrowserBinding } from '../sign-in/browser-binding.js';
import { LastMethod } from '../sign-in/last-method.js';
import { restartUri } from '../sign-in/sign-in-pages.js';
import { SignInExpired } from '../sign-in/sign-in.errors.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import type { ExternalIdentity, ExternalProvider } from './external-provider.js';
import { ProviderLinking } from './provider-linking.js';
import { type Failure, ProviderPages, type Stranded } from './provider-pages.js';
import { ProviderSignIn } from './provider-sign-in.service.js';
import { ProviderFault } from './provider.errors.js';
import { redirect } from './redirect.js';
import { reasonOf } from './start.rules.js';
import { ProviderStates, type ReturnedTrip } from './state/provider-states.service.js';
import { allowsMethod } from '../allows-method.rules.js';

/** For all calls of one callback together. */
const DEADLINE_MS = 10_000;

/**
 * The way back. The state is checked and used up before anything else is looked at, also before an `error`: whatever
 * else stands in the address may have been written by anybody.
 */
@Injectable()
export class ProviderArrival {
  private readonly logger = new Logger(ProviderArrival.name);

  constructor(
    private readonly states: ProviderStates,
    private readonly signIns: SignInService,
    private readonly signIn: ProviderSignIn,
    private readonly linking: ProviderLinking,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly attempts: BrowserAttempts,
    private readonly lastMethod: LastMethod,
    private readonly pages: ProviderPages,
  ) {}

  /** @throws SignInExpired where the state is missing, used, too old, another browser's or another provider's */
  async receive(
    ctx: RequestContext,
    provider: ExternalProvider,
    raw: RawParameters,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { state } = raw;
    if (typeof state !== 'string') throw new SignInExpired();
    const trip = await this.states.arrive(provider.name, state, this.browser.readHashes(request));
    if (!trip) throw new SignInExpired();
    const answer = () => this.redeem(provider, raw, state, trip);
    if (trip.linkUserId) return this.linking.finish(ctx, provider, trip.linkUserId, answer, request, response);
    const stranded = await this.standing(provider, trip, request);
    const { attempt, known } = stranded.state;
    if (attempt.finishedAt) return redirect(response, restartUri(attempt));
    // Asked again: it may have been switched off while the person was away.
    if (!allowsMethod(known.app, provider.name)) return this.pages.fail(response, stranded, 'not_allowed');
    const identity = await answer();
    if (typeof identity === 'string') return this.pages.fail(response, stranded, identity);
    const outcome = await this.signIn.signIn(ctx, known, attempt, identity, this.sessions.presented(request));
    switch (outcome.kind) {
      case 'identified':
        if (outcome.ssoToken) this.sessions.send(response, outcome.ssoToken);
        this.lastMethod.remember(response, provider.name);
        return redirect(response, `/sign-in/${attempt.id}`);
      case 'invited':
        return redirect(
          response,
          `/oauth/invite?${new URLSearchParams({ oauth_token: outcome.oauthToken }).toString()}`,
        );
      case 'refused':
        return this.pages.refuse(response, stranded, outcome.why);
    }
  }

  private async standing(provider: ExternalProvider, trip: ReturnedTrip, request: Request): Promise<Stranded> {
    const found = await this.attempts.find(trip.attemptId, request);
    const state = found && (await this.signIns.readState(found.attempt));
    if (!state) throw new SignInExpired();
    return { state, secret: found.secret, provider: provider.name, fromPage: trip.fromPage };
  }

  /** The identity, or why there is none. What exactly was wrong is for the log: it is the provider's business or an attack. */
  private async redeem(
    provider: ExternalProvider,
    { code, error, iss }: RawParameters,
    state: string,
    { verifier, nonce, postedName }: ReturnedTrip,
  ): Promise<ExternalIdentity | Failure> {
    try {
      if (iss !== undefined && (typeof iss !== 'string' || !provider.acceptsIssuer(iss)))
        throw new ProviderFault('the answer comes from another issuer');
      if (typeof error === 'string') return failureOf(error);
      if (typeof code !== 'string' || code === '' || code.length > 4096) throw new ProviderFault('no code');
      return await inTime(provider.finish({ code, state, verifier, nonce, postedName }));
    } catch (fault) {
      if (!(fault instanceof ProviderFault)) throw fault;
      this.logger.warn(`${provider.name}: ${fault.message}`);
      return 'unavailable';
    }
  }
}

function failureOf(error: string): Failure {
  switch (reasonOf(error)) {
    case 'access_denied':
      return 'cancelled';
    case 'login_required':
      return 'not_signed_in';
    case 'provider_error':
      return 'unavailable';
  }
}

/** What still runs afterwards ends by its own limit, and nobody looks at it. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProviderFault('no answer in time')), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
