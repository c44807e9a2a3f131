import { type Message, message } from '../../../common/i18n/message.js';

/** A map: a scope may be called like what every object has. */
const WORDS: ReadonlyMap<string, Message> = new Map([
  ['profile', message('sign-in.consent.profile')],
  ['email', message('sign-in.consent.email')],
  ['roles', message('sign-in.consent.roles')],
  ['offline_access', message('sign-in.consent.offline_access')],
]);

/** A scope as users read it. */
export interface ScopeInWords {
  readonly scope: string;
  /** Null: it is shown as it is, because only the API that it belongs to knows what it means. */
  readonly words: Message | null;
}

export function scopeInWords(scope: string): ScopeInWords {
  return { scope, words: WORDS.get(scope) ?? null };
}
