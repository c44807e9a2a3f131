import type { AuditAction, AuditOutcome } from '../../audit/entries/audit-action.js';

/** What a sentence is made of, with ids already turned into names. */
export interface TimelineFacts {
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** Who did it, as named in a sentence; null if it was the user concerned, or if unknown. */
  readonly by: string | null;
  /** Name of the app; null where there is none, or it is not the reader's to see. */
  readonly app: string | null;
  /** Network address, or null. */
  readonly from: string | null;
  /** Browser and system in words, or null. */
  readonly on: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** `bad` draws the eye: something was refused, or ended by an administrator. */
export type Tone = 'good' | 'bad' | 'plain';

export interface TimelineSentence {
  readonly text: string;
  readonly tone: Tone;
}
