import { timeInWords } from '../../common/pages/time-in-words.js';
import type { KeyFacts } from '../../tokens/keys/signing-keys.js';
import { longDate } from '../frame/lists/long-date.js';
import { type KeyState, keyStates } from './key-state.rules.js';

const BADGES = {
  signing: { text: 'signing', tone: 'plain' },
  published: { text: 'published', tone: 'info' },
  retired: { text: 'retired', tone: 'neutral' },
} as const;

/** The keys as the page lists them, newest first. */
export function keyRows(keys: readonly KeyFacts[], now: Date) {
  const states = keyStates(keys, now);
  return keys
    .map(({ kid, createdAt }, index) => {
      const state = states[index]!;
      return {
        kid,
        state: BADGES[state.name],
        note: noteOf(state),
        exact: state.until?.toUTCString() ?? '',
        created: timeInWords(createdAt, now),
      };
    })
    .reverse();
}

function noteOf({ name, until }: KeyState): string {
  const at = until && minuteOf(until);
  if (name === 'published') return `Signs from ${at}`;
  if (name === 'retired') return at ? `Tokens that it signed are accepted until ${at}` : '';
  return at ? `Signs every token until ${at}` : 'Signs every token';
}

/** For example `22 November 2026, 01:20 UTC`. */
function minuteOf(at: Date): string {
  return `${longDate(at)}, ${at.toISOString().slice(11, 16)} UTC`;
}
