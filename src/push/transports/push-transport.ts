/** What is sent to one device. */
export interface OutgoingPush {
  readonly notificationId: string;
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  /** How long the provider may keep it: the rest of the notification's ttl. */
  readonly ttlSeconds: number;
}

/**
 * The result of an attempt, the same for every transport. `host` is the server that a browser has chosen; Firebase has
 * none.
 */
export type AttemptResponse =
  /** The provider accepted it. */
  | { readonly kind: 'taken' }
  /** The provider reports that the token is no longer valid. */
  | { readonly kind: 'gone' }
  /** The provider refused with this HTTP status. @property retryAfter seconds that it asks to wait */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfter: number | null; readonly host?: string }
  /** No answer: whether it has arrived is unknown. */
  | { readonly kind: 'unanswered'; readonly error: 'timeout' | 'connection_failed'; readonly host?: string }
  /** Nothing was sent, and a retry would not help. @property error one word for the app */
  | { readonly kind: 'not_sent'; readonly error: 'not_configured' | 'rejected' | 'unauthorized' };
