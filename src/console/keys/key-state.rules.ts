import type { KeyFacts } from '../../tokens/keys/signing-keys.js';

/** State of a published key: at most one signs; the others are not used yet, or only verify earlier signatures. */
export interface KeyState {
  readonly name: 'signing' | 'published' | 'retired';
  /** When the state changes; null if nothing is planned. */
  readonly until: Date | null;
}

/**
 * @param keys oldest first
 * @returns their states, in the same order
 */
export function keyStates(keys: readonly KeyFacts[], now: Date): KeyState[] {
  const signing = keys.filter(({ activatesAt }) => activatesAt <= now).at(-1) ?? keys[0];
  const next = keys.find(({ activatesAt }) => activatesAt > now && signing && activatesAt > signing.activatesAt);
  return keys.map((key) => {
    if (key === signing) return { name: 'signing', until: next?.activatesAt ?? null };
    if (key.activatesAt > now) return { name: 'published', until: key.activatesAt };
    return { name: 'retired', until: key.retiresAt };
  });
}
