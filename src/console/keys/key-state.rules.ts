import type { KeyFacts } from '../../tokens/keys/signing-keys.js';

/** What a published key does: at most one signs, the others wait for their turn or vouch for what they signed. */
export interface KeyState {
  readonly name: 'signing' | 'published' | 'retired';
  /** When that changes; null where nothing is planned. */
  readonly until: Date | null;
}

/** @param keys oldest first. @returns their states, in the same order */
export function keyStates(keys: readonly KeyFacts[], now: Date): KeyState[] {
  const signing = keys.filter(({ activatesAt }) => activatesAt <= now).at(-1) ?? keys[0];
  const next = keys.find(({ activatesAt }) => activatesAt > now && signing && activatesAt > signing.activatesAt);
  return keys.map((key) => {
    if (key === signing) return { name: 'signing', until: next?.activatesAt ?? null };
    if (key.activatesAt > now) return { name: 'published', until: key.activatesAt };
    return { name: 'retired', until: key.retiresAt };
  });
}
