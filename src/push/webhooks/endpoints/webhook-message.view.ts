import type { WebhookMessageView } from './webhook.dto.js';
import type { WebhookMessage } from '../messages/webhook-message.entity.js';
import { webhookId } from '../sending/webhook-signature.rules.js';

export function webhookMessageView(message: WebhookMessage): WebhookMessageView {
  return {
    id: webhookId(message.id),
    type: message.type,
    status: message.status,
    attempts: message.attempts,
    last_status: message.lastStatus,
    last_error: message.lastError,
    created_at: message.createdAt.toISOString(),
    next_attempt_at: message.nextAttemptAt?.toISOString() ?? null,
    completed_at: message.completedAt?.toISOString() ?? null,
    history: message.history.map(({ at, status, error }) => ({ at, status, error })),
  };
}
