import { isDeepStrictEqual } from 'node:util';
import { type Effect, type EffectWithRule, effectOf } from '../../auth/entry/effect.rules.js';
import { entrantOf, methodsOfUser, type SignInSettings } from '../../auth/entry/entrant-of-row.js';
import type { EntrantRow } from '../../auth/entry/entrants.repository.js';
import { findOutcome, canEnter, type SignInOutcome } from '../../auth/entry/sign-in-outcome.js';
import { isOffered } from '../../enrollment/authority/offered-roles.rules.js';
import type { ClientChange, Proposal } from '../proposals/proposal.js';

export interface Affected extends EffectWithRule {
  readonly appId: string;
  readonly appName: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  /** Method, as in `allowed_providers`; null: no way to sign in. */
  readonly methodBefore: string | null;
  readonly methodAfter: string | null;
}

/** Before and after the change. */
export interface SettingsBeforeAndAfter {
  readonly before: SignInSettings;
  readonly after: SignInSettings;
}

export interface JudgedChange {
  readonly change: ClientChange;
  readonly proposal: Proposal;
  readonly worlds: SettingsBeforeAndAfter;
}

export interface JudgedMembers {
  readonly affected: readonly Affected[];
  /** Number of members who could enter after the change. */
  readonly enter: number;
}

/** Effects of a change on each of these members. */
export async function judgeAll(rows: readonly EntrantRow[], about: JudgedChange): Promise<JudgedMembers> {
  const { id: appId, name: appName } = about.change.before.app;
  const affected: Affected[] = [];
  let enter = 0;
  for (const row of rows) {
    const { effect, was, is } = await judgeOne(row, about);
    if (canEnter(is)) enter++;
    if (!effect) continue;
    const { userId, email, displayName } = row;
    const methods = { methodBefore: was.method, methodAfter: is.method };
    affected.push({ ...effect, appId, appName, userId, email, displayName, ...methods });
  }
  return { affected, enter };
}

/** As {@link judgeAll}, for rows that are limited differently; most are the same. @returns the effects */
export async function judgeAgain(
  rows: readonly EntrantRow[],
  judged: { readonly rows: readonly EntrantRow[]; readonly affected: readonly Affected[] },
  about: JudgedChange,
): Promise<Effect[]> {
  const others = rows.filter((row, index) => !isDeepStrictEqual(row, judged.rows[index]));
  const again = new Set(others.map(({ userId }) => userId));
  const { affected } = await judgeAll(others, about);
  return [...judged.affected.filter(({ userId }) => !again.has(userId)), ...affected].map(({ effect }) => effect);
}

/** By the rules of sign-in, before and after. */
async function judgeOne(
  row: EntrantRow,
  { change, proposal, worlds: { before, after } }: JudgedChange,
): Promise<{ effect: EffectWithRule | null; was: SignInOutcome; is: SignInOutcome }> {
  const later = proposal.memberAfter?.(row, change.before.app.id) ?? row;
  const was = await findOutcome(
    entrantOf(row, before),
    change.before,
    methodsOfUser(row, before),
    before.requireAdmin2fa,
  );
  const is = await findOutcome(
    entrantOf(later, after),
    change.after,
    methodsOfUser(later, after),
    after.requireAdmin2fa,
  );
  return { effect: effectOf(was, is) ?? withdrawnRole(later.roles ?? [], change), was, is };
}

/** A role that the user keeps although the app no longer offers it. */
function withdrawnRole(roles: readonly string[], { before, after }: ClientChange): EffectWithRule | null {
  const isWithdrawn = roles.some((role) => isOffered(before.app, role) && !isOffered(after.app, role));
  return isWithdrawn ? { effect: 'role_withdrawn', rule: 'role_offered' } : null;
}
