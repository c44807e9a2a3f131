import type { ComparisonResult } from '../../apps/comparisons/change-comparison.entity.js';
import type { ListedComparison } from '../../apps/comparisons/change-comparisons.repository.js';
import { EFFECTS, type Effect } from '../../auth/entry/effect.rules.js';
import { grouped, quantity } from '../../common/pages/quantity.js';
import { longDate } from '../frame/lists/long-date.js';
import { effectHeading } from './effect-words.js';

/** The outcome of a change as text. */
export interface ComparisonInWords {
  /** `Predicted: 212 users must set up a second factor …. After a day, 198 have set it up, 3 were refused.` */
  readonly lines: readonly string[];
  /** Why the comparison has ended, or when it continues. */
  readonly note: string | null;
}

const MET: Readonly<Record<Effect, string>> = {
  shut_out: 'signed in anyway',
  verify_email: 'verified it',
  set_up_second_factor: 'have set it up',
  second_factor: 'signed in',
  other_method: 'signed in',
  role_withdrawn: 'have lost it',
  let_in: 'signed in',
};

export function comparisonInWords(comparison: ListedComparison): ComparisonInWords {
  const { afterDay, afterWeek, changedAgainAt, prediction } = comparison;
  const effects = EFFECTS.filter((effect) => effect in prediction);
  const found = Object.keys(comparison.found ?? {});
  // A user may have become affected between the preview and the change.
  const unforeseen = EFFECTS.filter((effect) => found.includes(effect) && !(effect in prediction));
  const lines = [...effects, ...unforeseen].map((effect) => lineOf(effect, comparison));
  return { lines, note: afterWeek ? null : noteOf(changedAgainAt, afterDay) };
}

function lineOf(effect: Effect, { prediction, found, afterDay, afterWeek }: ListedComparison): string {
  const predicted = prediction[effect] ?? 0;
  const counted = found?.[effect] ?? 0;
  const when = found && counted !== predicted ? ` (${grouped(counted)} when it was saved)` : '';
  const sentence = `Predicted: ${effectHeading({ effect, count: predicted })}${when}.`;
  const outcome = (afterWeek ?? afterDay)?.effects[effect];
  if (!outcome) return sentence;
  const { met, refused, waiting, gone } = outcome;
  const parts = [
    said(met, MET[effect]),
    ...(refused > 0 ? [said(refused, 'were refused')] : []),
    ...(waiting > 0 ? [said(waiting, effect === 'role_withdrawn' ? 'still have it' : 'have not signed in yet')] : []),
    ...(gone > 0 ? [said(gone, 'can no longer sign in for another reason')] : []),
  ];
  return `${sentence} After a ${afterWeek ? 'week' : 'day'}, ${parts.join(', ')}.`;
}

function noteOf(changedAgainAt: Date | null, afterDay: ComparisonResult | null): string {
  if (changedAgainAt) return `Changed again on ${longDate(changedAgainAt)}. The comparison ended.`;
  return `It is compared with what happened ${afterDay ? '' : 'a day and '}a week after the change.`;
}

/** `198 have set it up`, `1 has set it up` */
function said(count: number, words: string): string {
  const inSingular = words.replace(/\bhave\b/, 'has').replace(/^were/, 'was');
  return quantity(count, inSingular, words);
}
