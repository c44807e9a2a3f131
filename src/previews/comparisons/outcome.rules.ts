import type { App } from '../../apps/app/app.entity.js';
import type { EffectOutcome } from '../../apps/comparisons/change-comparison.entity.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import type { EntrantRow } from '../../auth/entry/entrants.repository.js';
import { canEnter, type SignInOutcome } from '../../auth/entry/sign-in-outcome.js';
import { isOffered } from '../../enrollment/authority/offered-roles.rules.js';
import type { SignInsSince } from './comparison-users.repository.js';

/** The current state of a user of the change. */
export interface CurrentUserState {
  readonly row: EntrantRow;
  /** Result of the next sign-in, by the rules of sign-in. */
  readonly signIn: SignInOutcome;
}

export const NO_OUTCOMES: EffectOutcome = { met: 0, refused: 0, waiting: 0, gone: 0, signedIn: 0 };

/** The sign-in verdicts (`EntryVerdict`) that count as refusals because of the change; absent: all. */
const REFUSALS: Partial<Readonly<Record<Effect, readonly string[]>>> = {
  set_up_second_factor: ['second_factor_required'],
  second_factor: ['second_factor_due', 'second_factor_required'],
  verify_email: ['email_not_verified'],
  other_method: ['method_not_allowed'],
  role_withdrawn: [],
};
/** A sign-in that failed because the account was changed at the same time does not count as refused. */
const NOT_REFUSED = 'credentials_changed';

/**
 * The outcome for a user. @param now null: the account or the app was deleted
 * @param since null: the log has no entries
 */
export function judgeOutcome(
  effect: Effect,
  app: App,
  now: CurrentUserState | null,
  since: SignInsSince | null,
): { readonly is: 'met' | 'refused' | 'waiting' | 'gone'; readonly signedIn: boolean } {
  const signedIn = since?.hasSignedIn ?? false;
  if (!now || isGone(effect, app, now)) return { is: 'gone', signedIn };
  if (isMet(effect, app, now, signedIn)) return { is: 'met', signedIn };
  const because = REFUSALS[effect];
  const refused = since?.refusals.some((reason) => (because ? because.includes(reason) : reason !== NOT_REFUSED));
  return { is: refused ? 'refused' : 'waiting', signedIn };
}

function isMet(effect: Effect, app: App, { row, signIn }: CurrentUserState, signedIn: boolean): boolean {
  switch (effect) {
    case 'set_up_second_factor':
      return signIn.obstacle?.otherwise !== 'second_factor_required';
    case 'verify_email':
      return row.emailVerified;
    case 'role_withdrawn':
      return (row.roles ?? []).every((role) => isOffered(app, role));
    default:
      return signedIn;
  }
}

/** The user is kept out by something other than the predicted effect. */
function isGone(effect: Effect, app: App, { row, signIn }: CurrentUserState): boolean {
  if (!row.isActive) return true;
  // A Console app can admit users by authority, without an enrollment.
  const hasLeft = row.status === null && !app.isConsoleApp;
  return effect === 'shut_out' || effect === 'role_withdrawn' ? hasLeft : !canEnter(signIn);
}

export function withOne(counts: EffectOutcome, { is, signedIn }: ReturnType<typeof judgeOutcome>): EffectOutcome {
  return { ...counts, [is]: counts[is] + 1, signedIn: counts.signedIn + (signedIn ? 1 : 0) };
}
