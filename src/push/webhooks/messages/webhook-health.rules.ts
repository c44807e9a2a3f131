import type { WebhookMessage } from './webhook-message.entity.js';

/** Number of newest messages that determine the state of a webhook. */
export const HEALTH_MESSAGES = 20;

export interface WebhookHealth {
  /** Number of these messages that were attempted. */
  readonly tried: number;
  /** Number of these that the receiver has not accepted. */
  readonly failing: number;
  /** The first failed attempt after the last accepted one, among these messages. */
  readonly since: Date;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

/**
 * The state of a receiver whose last attempt failed; null if it succeeded, or if nothing was attempted.
 * @param messages the newest, in any order
 */
export function failingWebhook(messages: readonly Pick<WebhookMessage, 'status' | 'history'>[]): WebhookHealth | null {
  const attempts = messages.flatMap(({ history }) => history).sort((one, other) => one.at.localeCompare(other.at));
  const last = attempts.at(-1);
  if (!last || last.error === null) return null;
  const lastSuccess = attempts.findLastIndex(({ error }) => error === null);
  const tried = messages.filter(({ history }) => history.length > 0);
  return {
    tried: tried.length,
    failing: tried.filter(({ status }) => status !== 'delivered').length,
    since: new Date(attempts[lastSuccess + 1]!.at),
    lastStatus: last.status,
    lastError: last.error,
  };
}
