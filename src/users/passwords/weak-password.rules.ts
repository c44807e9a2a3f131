import { WEAK_PASSWORD_POLICIES, type WeakPasswordPolicy } from '../../tenants/weak-passwords.js';
import { MIN_PASSWORD_LENGTH } from './password.rules.js';
import { foldCase, foldSpelling, spellingsOf } from './password-spellings.rules.js';

/** Shorter words occur in good passwords by chance. */
const MIN_WORD_LENGTH = 4;
const DEFAULT_POLICY: WeakPasswordPolicy = 'block';

/** Why a password is easy to guess (ASVS 6.2.4, 6.2.11, 6.2.12); null if it is not. */
export type Weakness = 'common' | 'context' | 'breached';

/** Words that an attacker who knows the user and the app tries first. */
export interface GuessableWords {
  /** Must not be in a password at all: the local part of the address, the names of tenant and app. */
  readonly whole: readonly string[];
  /** Single words of these and of the user's name, longest first: a password must not mostly consist of them. */
  readonly parts: readonly string[];
}

/** The strictest of the given tenant policies; the default if there are none. */
export function strictestWeakPolicy(policies: readonly WeakPasswordPolicy[]): WeakPasswordPolicy {
  if (policies.length === 0) return DEFAULT_POLICY;
  return WEAK_PASSWORD_POLICIES[Math.max(...policies.map((policy) => WEAK_PASSWORD_POLICIES.indexOf(policy)))]!;
}

/** @param common in the form of `foldSpelling`, see `CommonPasswords` */
export function judgeWeakness(
  password: string,
  common: { has(folded: string): boolean },
  words: GuessableWords,
): Weakness | null {
  if (spellingsOf(password).some((spelling) => common.has(spelling))) return 'common';
  const folded = foldSpelling(password);
  const isNamed = words.whole.some((word) => folded.includes(foldSpelling(word)));
  return isNamed || isMostly(folded, words.parts) ? 'context' : null;
}

/** @param displayName null if the account has none */
export function guessableWords(email: string, names: readonly string[], displayName: string | null): GuessableWords {
  const localPart = email.slice(0, Math.max(0, email.lastIndexOf('@')));
  const whole = longEnough([localPart, ...names].map((word) => foldCase(word).trim()));
  const name = foldCase(displayName ?? '').trim();
  const singles = [...whole, name].flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}]+/u));
  const parts = longEnough([name, name.replaceAll(/\s+/g, ''), ...singles]);
  return { whole, parts: [...new Set(parts)].toSorted((a, b) => b.length - a.length) };
}

/** For an attacker who knows these words, the rest is shorter than the shortest allowed password. */
function isMostly(folded: string, parts: readonly string[]): boolean {
  const rest = parts.reduce((left, part) => left.replaceAll(foldSpelling(part), ' '), folded);
  return rest !== folded && rest.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '').length < MIN_PASSWORD_LENGTH;
}

function longEnough(words: readonly string[]): string[] {
  return words.filter((word) => [...word].length >= MIN_WORD_LENGTH);
}
