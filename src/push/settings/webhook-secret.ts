import type { Randomness } from '../../common/randomness.js';

/** Standard Webhooks 1.0: 24 to 64 bytes. */
const BYTES = 32;
const PREFIX = 'whsec_';

export function newWebhookSecret(randomness: Randomness): string {
  return `${PREFIX}${randomness.bytes(BYTES).toString('base64')}`;
}

/** The key in the text of a secret. */
export function webhookKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
