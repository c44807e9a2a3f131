import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock.js';
import { Randomness } from '../../../common/randomness.js';
import { Outbox } from '../../../delivery/outbox/outbox.service.js';
import type { Receipt } from './receipt.js';
import './webhook-due.handler.js';

/** Queues delivery events: they are sent to the app's webhook after the commit, at least once. */
@Injectable()
export class WebhookReceipts {
  constructor(
    private readonly randomness: Randomness,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /** Called in the transaction of the result that the events report. Apps without an active webhook get none. */
  async add(tx: EntityManager, receipts: readonly Receipt[]): Promise<void> {
    if (receipts.length === 0) return;
    const rows = receipts.map((receipt) => ({
      id: this.randomness.uuid(),
      appId: receipt.appId,
      type: receipt.type,
      body: bodyOf(receipt, this.clock.now()),
    }));
    // If the app already has due messages, its queue is awake or will be.
    const asleep = (await tx.query(
      `WITH added AS (
         INSERT INTO webhook_messages (id, app_id, type, body, next_attempt_at)
         SELECT (m->>'id')::uuid, (m->>'appId')::uuid, m->>'type', m->>'body', now()
         FROM jsonb_array_elements($1::jsonb) AS m
         JOIN push_settings s ON s.app_id = (m->>'appId')::uuid
           AND s.webhook_url IS NOT NULL AND s.webhook_disabled_at IS NULL
         RETURNING app_id
       )
       SELECT DISTINCT added.app_id AS "appId", a.tenant_id AS "tenantId"
       FROM added JOIN apps a ON a.id = added.app_id WHERE NOT EXISTS (
         SELECT 1 FROM webhook_messages m
         WHERE m.app_id = added.app_id AND m.status = 'queued' AND m.next_attempt_at <= now())`,
      [JSON.stringify(rows)],
    )) as { appId: string; tenantId: string }[];
    for (const { appId, tenantId } of asleep) {
      await this.outbox.add(tx, 'webhooks', 'webhook.due', { appId }, { group: tenantId });
    }
  }
}

/** JSON as it is signed and sent. */
function bodyOf(receipt: Receipt, now: Date): string {
  return JSON.stringify({
    type: receipt.type,
    timestamp: now.toISOString(),
    data: {
      notification_id: receipt.notificationId,
      app_id: receipt.appId,
      user_id: receipt.userId,
      device_id: receipt.deviceId,
      platform: receipt.platform,
      status: receipt.status,
      error: receipt.error,
      attempt: receipt.attempt,
    },
  });
}
