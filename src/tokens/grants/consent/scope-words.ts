import { type Message, message } from '../../../common/i18n/message.js';

/** A Map, because a scope may have the name of a property of every object. */
const WORDS: ReadonlyMap<string, Message> = new Map([
  ['profile', message('sign-in.consent.profile')],
  ['email', message('sign-in.consent.email')],
  ['roles', message('sign-in.consent.roles')],
  ['offline_access', message('sign-in.consent.offline_access')],
]);

/** A scope as text for users. */
export interface ScopeInWords {
  readonly scope: string;
  /** Null: shown unchanged, because only its API knows the meaning. */
  readonly words: Message | null;
}

export function scopeInWords(scope: string): ScopeInWords {
  return { scope, words: WORDS.get(scope) ?? null };
}
