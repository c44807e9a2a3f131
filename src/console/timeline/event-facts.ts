import type { AuditAction, AuditOutcome } from '../../audit/entries/audit-action.js';

/** A user, app or tenant in a sentence. */
export interface NamedEntity {
  readonly text: string;
  /** URL of its page; null if there is none, or if the reader may not open it. */
  readonly href: string | null;
}

/** Data for a sentence, with names instead of ids. */
export interface EventFacts {
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** The actor. */
  readonly actor: NamedEntity;
  /** The user whom the entry is about. */
  readonly user: NamedEntity | null;
  /** Whether that user is the actor. */
  readonly isOwn: boolean;
  readonly app: NamedEntity | null;
  readonly tenant: NamedEntity | null;
  /** Network address, or null. */
  readonly from: string | null;
  /** Browser and system as text, or null. */
  readonly on: string | null;
  /** The impersonated tenant or app, for example `the tenant Acme`, or null. */
  readonly actingAs: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** `bad` is highlighted: something was refused, or ended by an administrator. */
export type Tone = 'good' | 'bad' | 'plain';

/** A part of a sentence. */
export interface SentencePart {
  readonly text: string;
  readonly isName: boolean;
  readonly href: string | null;
}

export interface EventSentence {
  /** Including the full stop. */
  readonly text: string;
  /** The same text in parts. */
  readonly parts: readonly SentencePart[];
  readonly tone: Tone;
}
