import { createHmac } from 'node:crypto';
import { webhookKey } from '../../settings/webhook-secret.js';

export interface SignedMessage {
  /** `webhook-id`: the same at every attempt, so that receivers recognize a repetition. */
  readonly id: string;
  readonly body: string;
}

/** A message's id as receivers see it. */
export function webhookId(messageId: string): string {
  return `msg_${messageId}`;
}

/**
 * The headers of a webhook (Standard Webhooks 1.0): id, time of this attempt, and a signature with each secret, because
 * during a rotation the receiver may know either.
 */
export function webhookHeaders(
  { id, body }: SignedMessage,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', webhookKey(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'identity-broker-webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
