import { acceptsNoNewUsers } from '../../../apps/app/app-origin.rules.js';
import { type NextStep, offeredSteps } from '../attempts/next-step.rules.js';
import type { SignInState } from '../attempts/sign-in-step.js';

type Attempted = Pick<SignInState, 'attempt' | 'client'>;

/** False also for a request that was saved by a version without invites. */
export function carriesInvite({ attempt: { request } }: Pick<Attempted, 'attempt'>): boolean {
  return typeof request.inviteCode === 'string';
}

/** The methods on the sign-in page of this attempt in addition to the password. */
export function alternativeMethods(state: Attempted): NextStep[] {
  const { app } = state.client;
  const isConsoleApp = acceptsNoNewUsers(app);
  return offeredSteps({ ...app, isConsoleApp, providers: app.config.allowed_providers }, carriesInvite(state));
}

/** The URL of one of these methods, null if it is not available. */
export function alternativeMethodUrl(state: Attempted, step: NextStep): string | null {
  return alternativeMethods(state).includes(step) ? `/sign-in/${state.attempt.id}/${step}` : null;
}
