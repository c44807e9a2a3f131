/** What is sent to one device. */
export interface OutgoingPush {
  readonly notificationId: string;
  readonly title: string;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  /** How long the provider may keep it: what is left of the notification's ttl. */
  readonly ttlSeconds: number;
}

/** How an attempt went, in words that every transport shares. */
export type AttemptAnswer =
  /** The provider took it. */
  | { readonly kind: 'taken' }
  /** The provider says that the token is no good any more. */
  | { readonly kind: 'gone' }
  /** The provider refused with this HTTP status. @property retryAfter seconds that it asks to wait */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfter: number | null }
  /** No answer: whether it has arrived is unknown. */
  | { readonly kind: 'unanswered'; readonly error: 'timeout' | 'connection_failed' }
  /** Nothing was sent, and trying again would not change that. @property error one word for the app */
  | { readonly kind: 'not_sent'; readonly error: 'not_configured' | 'rejected' | 'unauthorized' };
