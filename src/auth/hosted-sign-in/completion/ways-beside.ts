import { takesNoNewUsers } from '../../../apps/app/app-origin.rules.js';
import { type NextStep, offeredSteps } from '../attempts/next-step.rules.js';
import type { SignInState } from '../attempts/sign-in-step.js';

type Attempted = Pick<SignInState, 'attempt' | 'client'>;

/** Also false for a request saved before there were invites. */
export function carriesInvite({ attempt: { request } }: Pick<Attempted, 'attempt'>): boolean {
  return typeof request.inviteCode === 'string';
}

/** What the sign-in page of this attempt offers beside the password. */
export function waysBeside(state: Attempted): NextStep[] {
  const { app } = state.client;
  const isConsoleApp = takesNoNewUsers(app);
  return offeredSteps({ ...app, isConsoleApp, providers: app.config.allowed_providers }, carriesInvite(state));
}

/** The address of one of these ways, null where it is not offered. */
export function wayBeside(state: Attempted, step: NextStep): string | null {
  return waysBeside(state).includes(step) ? `/sign-in/${state.attempt.id}/${step}` : null;
}
