import { WEAK_PASSWORD_POLICIES, type WeakPasswordPolicy } from '../tenants/weak-passwords.js';

/** Shorter words turn up in good passwords by chance. */
const SHORTEST_WORD = 4;
const NOBODYS_POLICY: WeakPasswordPolicy = 'block';

/** Why a password is easy to guess (ASVS 6.2.4, 6.2.11); null where it is not. */
export type Weakness = 'common' | 'context';

/** The strictest of the given tenant policies; the default where no tenant has a say. */
export function strictestWeakPolicy(policies: readonly WeakPasswordPolicy[]): WeakPasswordPolicy {
  if (policies.length === 0) return NOBODYS_POLICY;
  return WEAK_PASSWORD_POLICIES[Math.max(...policies.map((policy) => WEAK_PASSWORD_POLICIES.indexOf(policy)))]!;
}

/**
 * @param common in lower case, see `CommonPasswords`
 * @param words see {@link guessableWords}
 */
export function judgeWeakness(
  password: string,
  common: ReadonlySet<string>,
  words: readonly string[],
): Weakness | null {
  const folded = fold(password);
  if (common.has(folded)) return 'common';
  return words.some((word) => folded.includes(word)) ? 'context' : null;
}

/** What an attacker who knows the person and the app tries first: local part of the address, names of tenant and app. */
export function guessableWords(email: string, names: readonly string[]): string[] {
  const localPart = email.slice(0, Math.max(0, email.lastIndexOf('@')));
  return [localPart, ...names].map((word) => fold(word).trim()).filter((word) => [...word].length >= SHORTEST_WORD);
}

/** Full-width letters and capitals make nothing harder to guess. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
