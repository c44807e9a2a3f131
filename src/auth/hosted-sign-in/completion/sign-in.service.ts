import { Inject, Injectable } from '@nestjs/common';
import { message } from '../../../common/i18n/message.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { acceptsNoNewUsers } from '../../../apps/app/app-origin.rules.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { EntryRefused } from '../../entry/entry-refused.js';
import { isMeant, openConfirmation } from '../authorization-request/authorization-request.js';
import {
  type AuthorizationResponse,
  type FailureReason,
  errorResponse,
} from '../authorization-request/authorization-response.rules.js';
import type { IdentifiedState } from './attempt-finisher.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { AttemptSessions } from '../attempts/attempt-sessions.service.js';
import { reauthenticationFacts } from '../attempts/reauthentication-facts.js';
import { alternativesTo, nextStep, type NextStep } from '../attempts/next-step.rules.js';
import type { SignInAttempt } from '../attempts/sign-in-attempt.entity.js';
import { RefusedSignIns } from './refused-sign-ins.service.js';
import { SignInDelivery } from './sign-in-delivery.service.js';
import type { Form, SignInState, SignInStep } from '../attempts/sign-in-step.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { SignInSteps } from './sign-in-steps.js';
import { carriesInvite, alternativeMethods } from './alternative-methods.js';

/** The sign-in page, shown again with a reason. */
export interface RedisplayedPage {
  readonly status: number;
  readonly form: Form;
  readonly errors: readonly FormError[];
}

const CHANGED = message('sign-in.account_changed');
const SIGN_IN_AGAIN: RedisplayedPage = { status: 200, form: {}, errors: [{ field: null, message: CHANGED }] };

/** The next page of the service, or the response to the app. */
export type SignInProgress =
  | { readonly kind: 'page'; readonly step: SignInStep; readonly state: SignInState; readonly again?: RedisplayedPage }
  /** `isByUser`: the user has pressed a button. */
  | { readonly kind: 'answer'; readonly answer: AuthorizationResponse; readonly isByUser?: boolean }
  /** Another request has already finished this attempt. */
  | { readonly kind: 'restart'; readonly attempt: SignInAttempt };

/** Advances an attempt with the facts that were just read: asks `nextStep`, and either returns the page or finishes. */
@Injectable()
export class SignInService {
  constructor(
    private readonly delivery: SignInDelivery,
    private readonly refused: RefusedSignIns,
    private readonly steps: SignInSteps,
    private readonly sessions: AttemptSessions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * A step other than the one that is due: on the first page, the other methods of the app; later, alternatives to the
   * step.
   */
  offered(state: SignInState, name: string): SignInStep | null {
    if (state.attempt.finishedAt) return null;
    const next = this.nextOf(state);
    // The user was expected to be new, but already has an account.
    if (next === 'password' && name === 'password') return this.firstStep(state.client);
    const names = next === 'password' ? alternativeMethods(state) : alternativesTo(next);
    return names.some((offered) => offered === name) ? this.step(name) : null;
  }

  step(name: string): SignInStep | null {
    return this.steps.find(name as NextStep) ?? null;
  }

  /** Whether this step can be submitted now. Credentials always can, because another user may sign in. */
  isDue(step: SignInStep, state: SignInState): boolean {
    return step.name === 'password' || step.name === this.nextOf(state) || this.offered(state, step.name) !== null;
  }

  /** The step without an identified user: the password, or the link or the passkey if the app accepts no passwords. */
  firstStep({ app: { config } }: RegisteredClient): SignInStep {
    const way = (['password', 'magic_link', 'passkey'] as const).find((each) =>
      config.allowed_providers.includes(each),
    );
    return this.steps.find(way ?? 'password')!;
  }

  /** For `prompt=create`, if no user has signed in or up here yet and the app allows registration. */
  private creationStep(state: SignInState): SignInStep | null {
    const { attempt, user } = state;
    if (!attempt.request.create || (user && !attempt.viaSso)) return null;
    const ways = alternativeMethods(state);
    const way = (['sign_up', 'invited_sign_up'] as const).find((each) => ways.includes(each));
    return way ? this.steps.find(way) : null;
  }

  /** Opens the session if it is due, and sends its cookie; then advances the attempt. */
  async proceed(hosted: HostedRequest, state: SignInState): Promise<SignInProgress> {
    return this.progress(hosted.ctx, await this.sessions.begin(hosted, state));
  }

  private async progress(ctx: RequestContext, state: SignInState): Promise<SignInProgress> {
    const { attempt, user } = state;
    if (attempt.finishedAt) return { kind: 'restart', attempt };
    const next = this.nextOf(state);
    if (next === 'finish' && user && !isMeant(attempt.request, user.id)) return this.refuse(attempt, 'login_required');
    if (next === 'finish' && user) return this.finish(ctx, { ...state, user });
    if (next === 'acr_unmet') return this.refuse(attempt, 'unmet_authentication_requirements');
    if (next === 'consent_denied') return { ...this.refuse(attempt, 'access_denied'), isByUser: true };
    if (next === 'suspended' && user) return this.turnAway(ctx, { ...state, user });
    if (attempt.request.prompt === 'none') return this.refuse(attempt, silentReason(next, state));
    const step =
      (next === 'password' ? this.creationStep(state) : this.steps.find(next)) ?? this.firstStep(state.client);
    return { kind: 'page', step, state, ...(attempt.isOutdated ? { again: SIGN_IN_AGAIN } : {}) };
  }

  private async turnAway(ctx: RequestContext, state: IdentifiedState): Promise<SignInProgress> {
    const { attempt } = state;
    if (!(await this.refused.turnAway(ctx, state))) return { kind: 'restart', attempt };
    return this.refuse(attempt, 'account_suspended');
  }

  private refuse({ request }: SignInAttempt, reason: FailureReason): Extract<SignInProgress, { kind: 'answer' }> {
    return { kind: 'answer', answer: errorResponse(request, reason, this.settings.baseUrl) };
  }

  /**
   * Entry may have been refused in the meantime: the sign-in then continues with the step for that verdict. If the
   * account has changed, the user must sign in again.
   */
  private async finish(ctx: RequestContext, state: IdentifiedState): Promise<SignInProgress> {
    const { attempt } = state;
    try {
      return leaving(attempt, await this.delivery.finish(ctx, state));
    } catch (error) {
      if (error instanceof EntryRefused) return this.progress(ctx, { ...state, entry: error.verdict });
      // A hidden frame must get an answer, not a page (OpenID Connect Core 3.1.2.1).
      if (error instanceof RateLimited && attempt.request.prompt === 'none')
        return this.refuse(attempt, 'temporarily_unavailable');
      if (!(error instanceof ProofOutdated)) throw error;
      await this.refused.recordOutdated(ctx, state);
      return this.progress(ctx, { ...state, attempt: { ...attempt, isOutdated: true }, user: null, entry: null });
    }
  }

  private nextOf(state: SignInState): NextStep {
    const { attempt, client, user, credentialsAge, acr, consent, offersPasskey } = state;
    return nextStep({
      ...reauthenticationFacts(state),
      viaSso: attempt.viaSso,
      credentialsAge,
      confirm: openConfirmation(attempt.request, user?.id),
      deletionWaits: (user?.deletionDueAt ?? null) !== null && attempt.request.deletionSeenBy !== user?.id,
      deviceWaits: attempt.request.purpose === 'device' && attempt.request.deviceAllowedBy !== user?.id,
      consent,
      acr,
      offersPasskey,
      policy: client.app.registrationPolicy,
      isConsoleApp: acceptsNoNewUsers(client.app),
      carriesInvite: carriesInvite({ attempt }),
    });
  }
}

/**
 * Steps for which an OpenID Connect client gets `interaction_required`: libraries then show the sign-in page, whereas
 * they treat `access_denied` as final.
 */
const NEEDS_A_PAGE: ReadonlySet<NextStep> = new Set(['join', 'request_access', 'invite', 'verify_email']);

/**
 * The error for an app that forbids every page when one is due (OpenID Connect Core 3.1.2.6). Requests without OpenID
 * Connect get the reason with which the link of the page leads back to the app.
 */
function silentReason(next: NextStep, state: SignInState): FailureReason {
  if (state.attempt.request.openid && NEEDS_A_PAGE.has(next)) return 'interaction_required';
  switch (next) {
    case 'password':
    case 'second_factor':
    case 'second_factor_setup':
      return 'login_required';
    case 'consent':
      return 'consent_required';
    case 'verify_email':
      return 'email_not_verified';
    default:
      if (state.entry === 'pending') return 'approval_pending';
      // The user does not lack an invite if the request has one.
      return next === 'invite' && !carriesInvite(state) ? 'registration_closed' : 'access_denied';
  }
}

/** @param answer null: another request was first */
function leaving(attempt: SignInAttempt, answer: AuthorizationResponse | null): SignInProgress {
  return answer === null ? { kind: 'restart', attempt } : { kind: 'answer', answer };
}
