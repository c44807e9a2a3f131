import { canEnter, type SignInOutcome } from './sign-in-outcome.js';

/** What a change does to a member of an app, the most serious first. */
export const EFFECTS = [
  'shut_out',
  'verify_email',
  'set_up_second_factor',
  'second_factor',
  'other_method',
  'role_withdrawn',
  'let_in',
] as const;
export type Effect = (typeof EFFECTS)[number];

export interface EffectWithRule {
  readonly effect: Effect;
  /** The sign-in rule that causes the effect. */
  readonly rule: string;
}

/** @returns null if the next sign-in is the same as without the change, or asks for less */
export function effectOf(before: SignInOutcome, after: SignInOutcome): EffectWithRule | null {
  if (!canEnter(after)) return canEnter(before) ? { effect: 'shut_out', rule: after.obstacle!.rule } : null;
  if (!canEnter(before)) return { effect: 'let_in', rule: before.obstacle!.rule };
  if (meets(after, 'email_not_verified') && !meets(before, 'email_not_verified'))
    return { effect: 'verify_email', rule: 'email_proven' };
  if (meets(after, 'second_factor_required') && !meets(before, 'second_factor_required'))
    return { effect: 'set_up_second_factor', rule: 'second_factor_set_up' };
  if (after.asksSecondFactor && !before.asksSecondFactor)
    return { effect: 'second_factor', rule: 'second_factor_shown' };
  return after.method === before.method ? null : { effect: 'other_method', rule: 'method_allowed' };
}

function meets({ obstacle }: SignInOutcome, verdict: string): boolean {
  return obstacle?.otherwise === verdict;
}
