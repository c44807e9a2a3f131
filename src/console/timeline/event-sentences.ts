import type { AuditAction } from '../../audit/entries/audit-action.js';
import type { EventFacts, EventSentence } from './event-facts.js';
import { fillIn, plain, type Sentence } from './phrase.js';
import { APP_SENTENCES } from './apps.sentences.js';
import { USER_SENTENCES } from './user.sentences.js';
import { PLATFORM_SENTENCES } from './platform.sentences.js';
import { SECURITY_SENTENCES } from './security.sentences.js';
import { SIGN_IN_SENTENCES } from './sign-in.sentences.js';

/** A group of actions in a filter. */
export interface EventGroup {
  /** Id in the URL. */
  readonly id: string;
  readonly label: string;
  readonly actions: readonly AuditAction[];
}

const SENTENCES: Readonly<Record<AuditAction, Sentence>> = {
  ...SIGN_IN_SENTENCES,
  ...SECURITY_SENTENCES,
  ...USER_SENTENCES,
  ...APP_SENTENCES,
  ...PLATFORM_SENTENCES,
};

const group = (id: string, label: string, sentences: object): EventGroup => ({
  id,
  label,
  actions: Object.keys(sentences) as AuditAction[],
});

/** Every action belongs to one of them. */
export const EVENT_GROUPS: readonly EventGroup[] = [
  group('sign-in', 'Sign-in', SIGN_IN_SENTENCES),
  group('security', 'Security', SECURITY_SENTENCES),
  group('people', 'Users and invites', USER_SENTENCES),
  group('apps', 'Apps, tenants and push', APP_SENTENCES),
  group('platform', 'Platform', PLATFORM_SENTENCES),
];

/** The entry as a sentence: who did what to whom, where, and the result. */
export function describeEvent(facts: EventFacts): EventSentence {
  // Entries of a newer version may have no sentence here.
  const sentence: Sentence = SENTENCES[facts.action] ?? plain('{actor}: {action}', { action: facts.action });
  return fillIn(typeof sentence === 'function' ? sentence(facts) : sentence, facts);
}
