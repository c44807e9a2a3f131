import type { AuditAction, AuditOutcome } from '../../audit/entries/audit-action.js';

/** A user, app or tenant as it is named in a sentence. */
export interface Named {
  readonly text: string;
  /** Its page; null where there is none, or it is not the reader's to see. */
  readonly href: string | null;
}

/** What a sentence is made of, with ids already turned into names. */
export interface EventFacts {
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** The actor. */
  readonly actor: Named;
  /** The user concerned. */
  readonly user: Named | null;
  /** Whether the user concerned did it themselves. */
  readonly isOwn: boolean;
  readonly app: Named | null;
  readonly tenant: Named | null;
  /** Network address, or null. */
  readonly from: string | null;
  /** Browser and system in words, or null. */
  readonly on: string | null;
  /** As whom they acted during an impersonation, e.g. `the tenant Acme`; or null. */
  readonly actingAs: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** `bad` draws the eye: something was refused, or ended by an administrator. */
export type Tone = 'good' | 'bad' | 'plain';

/** A piece of a sentence. */
export interface SentencePart {
  readonly text: string;
  readonly isName: boolean;
  readonly href: string | null;
}

export interface EventSentence {
  /** With the full stop. */
  readonly text: string;
  /** The same in pieces. */
  readonly parts: readonly SentencePart[];
  readonly tone: Tone;
}
