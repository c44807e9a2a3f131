import type { App } from '../../../apps/app/app.entity.js';
import { timeInWords } from '../../../common/pages/time-in-words.js';
import { quantity } from '../../../common/pages/quantity.js';
import {
  WEBHOOK_STATUSES,
  type WebhookMessage,
  type WebhookStatus,
} from '../../../push/webhooks/messages/webhook-message.entity.js';
import type { WebhookHealth } from '../../../push/webhooks/messages/webhook-health.rules.js';
import { webhookId } from '../../../push/webhooks/sending/webhook-signature.rules.js';
import { MAX_REPLAYED_MESSAGES } from '../../../push/webhooks/endpoints/webhooks.service.js';
import { column } from '../../frame/lists/table-column.js';
import { appPath } from '../page/app-tabs.js';

export const MESSAGE_COLUMNS = [
  column('Message'),
  column('State'),
  column('Attempts', { className: 'number' }),
  column('Last answer'),
  column('Created'),
];
const STATES: Readonly<Record<WebhookStatus, { text: string; tone: string }>> = {
  queued: { text: 'Waiting', tone: 'info' },
  delivered: { text: 'Received', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
};

/** Errors of attempts without an answer; see `WebhookOutcome`. */
const ERRORS: Readonly<Record<string, string>> = {
  no_answer: 'No answer',
  timeout: 'Timeout',
  target_refused: 'URL not allowed',
  secret_unreadable: 'Secret can’t be decrypted',
};

export function webhookStatusOf(value: unknown): WebhookStatus | undefined {
  return WEBHOOK_STATUSES.find((status) => status === value);
}

export function statusOptions(chosen: WebhookStatus | undefined) {
  const options = WEBHOOK_STATUSES.map((value) => ({ value, label: STATES[value].text, isChosen: value === chosen }));
  return [{ value: '', label: 'All states', isChosen: !chosen }, ...options];
}

export function messageRow(app: Pick<App, 'id'>, message: WebhookMessage, now: Date) {
  const { id, type, status, attempts, lastStatus, lastError, createdAt, nextAttemptAt } = message;
  return {
    id: webhookId(id),
    href: appPath(app, 'webhooks', `/${id}`),
    replayUrl: appPath(app, 'webhooks', `/${id}/replay`),
    type,
    state: stateOf(message),
    attempts,
    answer: answerInWords(lastStatus, lastError),
    made: timeInWords(createdAt, now),
    nextAt: status === 'queued' && nextAttemptAt ? timeInWords(nextAttemptAt, now) : null,
  };
}

/** A message that has failed and waits for its next attempt has a different text than a new one. */
function stateOf({ status, lastError, attempts }: WebhookMessage): { text: string; tone: string } {
  if (status !== 'queued' || lastError === null) return STATES[status];
  return { text: `Retrying (${attempts})`, tone: 'bad' };
}

/** `Failing since …`; null for a webhook that works, or that has received nothing. */
export function healthRow(health: WebhookHealth | null, now: Date) {
  return (
    health && {
      since: timeInWords(health.since, now),
      failing: health.failing,
      tried: health.tried,
      answer: answerInWords(health.lastStatus, health.lastError),
    }
  );
}

/** Indented for reading. The signature covers the body as sent, without this whitespace. */
export function readableBody(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}

export function replayedInWords(replayed: number): string {
  if (replayed === 0) return 'No message has failed.';
  const messages = quantity(replayed, 'failed message is', 'failed messages are');
  const rest = replayed === MAX_REPLAYED_MESSAGES ? ' Send failed messages again to continue with the older ones.' : '';
  return `${messages} being sent again.${rest}`;
}

/** Newest first. */
export function attemptRows({ history }: WebhookMessage, now: Date) {
  return history
    .map(({ at, status, error }) => ({ at: timeInWords(new Date(at), now), answer: answerInWords(status, error) }))
    .reverse();
}

function answerInWords(status: number | null, error: string | null): string {
  if (status !== null) return `HTTP ${status}`;
  return error === null ? 'None yet' : (ERRORS[error] ?? error);
}
