import type { App } from '../../apps/app.entity.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import {
  WEBHOOK_STATUSES,
  type WebhookMessage,
  type WebhookStatus,
} from '../../push/webhooks/webhook-message.entity.js';
import { webhookId } from '../../push/webhooks/webhook-signature.rules.js';
import { column } from '../frame/table-column.js';
import { appPath } from './app-tabs.js';

export const MESSAGE_COLUMNS = [
  column('Message'),
  column('State'),
  column('Attempts', { className: 'number' }),
  column('Last answer'),
  column('Created'),
];
const STATES: Readonly<Record<WebhookStatus, { text: string; tone: string }>> = {
  queued: { text: 'On its way', tone: 'info' },
  delivered: { text: 'Received', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
};

/** Of attempts that got no answer; see `WebhookOutcome`. */
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
    state: STATES[status],
    attempts,
    answer: answerInWords(lastStatus, lastError),
    made: timeInWords(createdAt, now),
    nextAt: status === 'queued' && nextAttemptAt ? timeInWords(nextAttemptAt, now) : null,
  };
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
