import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Transactions } from '../../src/database/transactions.js';
import type { Receipt } from '../../src/push/webhooks/sending/receipt.js';
import { WebhookReceipts } from '../../src/push/webhooks/sending/webhook-receipts.js';
import type { PushConfig } from './push.js';
import type { TestApp } from './test-app.js';
import { type Delivered } from './webhook-receiver.js';
import type { TestClient, World } from './world.js';

/** As `GET /push/webhooks/{app_id}` shows it. */
export interface LoggedMessage {
  readonly id: string;
  readonly type: string;
  readonly status: 'queued' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly completed_at: string | null;
  readonly history: readonly { at: string; status: number | null; error: string | null }[];
}

export interface WebhookApp extends TestClient {
  readonly webhookSecret: string;
}

/** An app with push on, whose webhook is there. */
export async function webhookApp(world: World, url: string): Promise<WebhookApp> {
  const made = await world.app(await world.tenant());
  const config = { enabled: true, webhook_url: url, daily_quota: 1_000_000 };
  const { webhook_secret } = await world.asAdmin<PushConfig>('PATCH', `/push/config/${made.id}`, config);
  return { ...made, webhookSecret: webhook_secret! };
}

/** Queues the event `webhook.test`. @returns its `webhook-id` */
export async function testEvent(world: World, { id }: { id: string }): Promise<string> {
  return (await world.asAdmin<{ id: string }>('POST', `/push/config/${id}/webhook-test`)).id;
}

export async function log(world: World, { id }: { id: string }, query = ''): Promise<LoggedMessage[]> {
  return (await world.asAdmin<{ messages: LoggedMessage[] }>('GET', `/push/webhooks/${id}${query}`)).messages;
}

/** Throws unless the signature is good. @returns the event */
export function verify(secret: string, { headers, body }: Delivered): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

export function receipt(app: { id: string }, fields: Partial<Receipt> = {}): Receipt {
  return {
    type: 'push.delivered',
    notificationId: randomUUID(),
    appId: app.id,
    userId: randomUUID(),
    deviceId: randomUUID(),
    platform: 'ios',
    status: 'delivered',
    error: null,
    attempt: 1,
    ...fields,
  };
}

/** As delivery promises them. */
export async function promise(service: TestApp, receipts: readonly Receipt[]): Promise<void> {
  const [transactions, promised] = [
    service.nest.get(Transactions),
    service.nest.get(WebhookReceipts, { strict: false }),
  ];
  await transactions.run((tx) => promised.add(tx, receipts));
}
