import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeInBatches } from '../../../database/purge-in-batches.js';
import { DeepPages } from '../../../database/queries/deep-pages.js';
import { countUpTo, readNumberedPage } from '../../../database/queries/numbered-page.js';
import { Statements } from '../../../database/statements.js';
import type { WebhookOutcome } from './webhook-retry.rules.js';
import { WebhookMessage, type WebhookStatus } from './webhook-message.entity.js';
import { IS_OPEN, OPEN_WEBHOOKS } from './open-webhooks.sql.js';

/** A claimed message, with everything that sending it needs. */
export interface LeasedWebhook {
  readonly id: string;
  readonly appId: string;
  readonly body: string;
  /** Fencing token: the outcome of this attempt is recorded with it. */
  readonly attempts: number;
  /** Since the message was created or replayed; 1 is the first. */
  readonly attempt: number;
  readonly url: string;
  readonly sealedSecret: string;
  /** The previous secret, while it also signs. */
  readonly sealedPreviousSecret: string | null;
  readonly failureTold: boolean;
}

const KEPT_ATTEMPTS = 30;
/** The database's clock, or the service's if a test has moved it forward. */
const NOW = 'greatest(now(), $1::timestamptz)';

const LEASE = {
  name: 'webhooks_lease',
  text: `
    WITH webhook AS (
      SELECT s.* FROM ${OPEN_WEBHOOKS} WHERE s.app_id = $2 AND ${IS_OPEN}
    ), due AS (
      SELECT m.id FROM webhook_messages m JOIN webhook ON webhook.app_id = m.app_id
      WHERE m.app_id = $2 AND m.status = 'queued' AND m.next_attempt_at <= ${NOW}
      ORDER BY m.next_attempt_at LIMIT $3 FOR UPDATE OF m SKIP LOCKED
    )
    UPDATE webhook_messages m
    SET attempts = m.attempts + 1, next_attempt_at = ${NOW} + make_interval(secs => $4)
    FROM due, webhook WHERE m.id = due.id
    RETURNING m.id, m.app_id AS "appId", m.body, m.attempts, m.attempts - m.attempts_before AS attempt,
      webhook.webhook_url AS url, webhook.sealed_webhook_secret AS "sealedSecret",
      CASE WHEN webhook.previous_webhook_secret_until > ${NOW} THEN webhook.sealed_previous_webhook_secret END
        AS "sealedPreviousSecret",
      webhook.webhook_failure_told_at IS NOT NULL AS "failureTold"`,
};
/** One index lookup per app, however many messages it has. */
const LIST_DUE = {
  name: 'webhooks_list_due',
  text: `
    WITH RECURSIVE waiting AS (
      (SELECT app_id FROM webhook_messages WHERE status = 'queued' ORDER BY app_id LIMIT 1)
      UNION ALL
      SELECT (SELECT m.app_id FROM webhook_messages m WHERE m.status = 'queued' AND m.app_id > waiting.app_id
              ORDER BY m.app_id LIMIT 1)
      FROM waiting WHERE waiting.app_id IS NOT NULL
    )
    SELECT s.app_id AS "appId" FROM waiting JOIN (${OPEN_WEBHOOKS}) ON s.app_id = waiting.app_id
    WHERE ${IS_OPEN} AND EXISTS (
      SELECT 1 FROM webhook_messages m
      WHERE m.app_id = waiting.app_id AND m.status = 'queued' AND m.next_attempt_at <= ${NOW})`,
};
const RELEASE = {
  name: 'webhooks_release',
  text: `UPDATE webhook_messages m SET next_attempt_at = now()
    FROM unnest($1::uuid[], $2::int[]) AS held(id, attempts)
    WHERE m.id = held.id AND m.attempts = held.attempts AND m.status = 'queued'`,
};
/**
 * Received messages are recorded without checking the lease: the message has arrived, even if another worker has
 * claimed it since.
 */
const SETTLE = {
  name: 'webhooks_settle',
  text: `UPDATE webhook_messages SET status = $4, last_status = $5, last_error = $6,
      next_attempt_at = CASE WHEN $4 = 'queued' THEN ${NOW} + make_interval(secs => $7) END,
      completed_at = CASE WHEN $4 <> 'queued' THEN now() END,
      history = CASE WHEN jsonb_array_length(history) >= ${KEPT_ATTEMPTS} THEN history - 0 ELSE history END
        || jsonb_build_object('at', $8::text, 'status', $5::int, 'error', $6::text)
    WHERE id = $2 AND status = 'queued' AND (attempts = $3 OR $4 = 'delivered')`,
};

/** Claims, settles and lists `webhook_messages`. `WebhookReceipts` inserts them. */
@Injectable()
export class WebhookMessagesRepository {
  constructor(
    @InjectRepository(WebhookMessage) private readonly messages: Repository<WebhookMessage>,
    private readonly statements: Statements,
    private readonly deepPages: DeepPages,
  ) {}

  lease(now: Date, appId: string, limit: number, leaseSeconds: number): Promise<LeasedWebhook[]> {
    return this.statements.run<LeasedWebhook & object>(LEASE, [now, appId, limit, leaseSeconds]);
  }

  async listDue(now: Date): Promise<string[]> {
    return (await this.statements.run<{ appId: string }>(LIST_DUE, [now])).map(({ appId }) => appId);
  }

  async release(held: readonly LeasedWebhook[]): Promise<void> {
    await this.statements.run(RELEASE, [held.map(({ id }) => id), held.map(({ attempts }) => attempts)]);
  }

  /** Records how an attempt ended. Does nothing if another worker has claimed the message meanwhile. */
  async settle(
    { id, attempts }: LeasedWebhook,
    { status, error }: WebhookOutcome,
    end: { readonly status: WebhookStatus; readonly retryInSeconds: number; readonly now: Date },
    tx?: EntityManager,
  ): Promise<void> {
    const values = [end.now, id, attempts, end.status, status, error, end.retryInSeconds, end.now.toISOString()];
    await this.statements.run(SETTLE, values, tx);
  }

  /** Newest first. */
  async list(
    appId: string,
    { status, limit, page }: { readonly status?: WebhookStatus; readonly limit: number; readonly page: number },
  ): Promise<{ messages: WebhookMessage[]; hasMore: boolean }> {
    const filter = { appId, ...(status ? { status } : {}) };
    const rows = () => this.messages.createQueryBuilder('listed').where(filter);
    const list = { name: 'webhook_messages', filter, time: 'createdAt', rows } as const;
    const found = await readNumberedPage(this.deepPages, list, { page, limit });
    return { messages: found.rows, hasMore: found.hasMore };
  }

  /** Counted up to `most`. */
  count(appId: string, status: WebhookStatus | undefined, most: number): Promise<number> {
    const rows = this.messages.createQueryBuilder('listed').where({ appId, ...(status ? { status } : {}) });
    return countUpTo(rows, most);
  }

  find(appId: string, id: string): Promise<WebhookMessage | null> {
    return this.messages.findOneBy({ appId, id });
  }

  async insert(tx: EntityManager, message: Pick<WebhookMessage, 'id' | 'appId' | 'type' | 'body'>): Promise<void> {
    await tx.insert(WebhookMessage, { ...message, nextAttemptAt: () => 'now()' });
  }

  /** Makes the message due at once and restarts the schedule. @returns whether there is such a message */
  async replay(tx: EntityManager, appId: string, id: string): Promise<boolean> {
    const { affected } = await tx.update(
      WebhookMessage,
      { appId, id },
      { status: 'queued', attemptsBefore: () => 'attempts', nextAttemptAt: () => 'now()', completedAt: null },
    );
    return affected === 1;
  }

  /** As {@link replay}, of the newest failed messages. @returns how many */
  async replayFailed(tx: EntityManager, appId: string, most: number): Promise<number> {
    const [, replayed] = await tx.query<[unknown, number]>(
      `UPDATE webhook_messages SET status = 'queued', attempts_before = attempts, next_attempt_at = now(),
         completed_at = NULL
       WHERE id IN (
         SELECT id FROM webhook_messages WHERE app_id = $1 AND status = 'failed'
         ORDER BY created_at DESC, id DESC LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [appId, most],
    );
    return replayed;
  }

  /** Deletes messages that ended longer ago than this. */
  purgeEnded(age: string): Promise<void> {
    return purgeInBatches(this.statements, { table: 'webhook_messages', column: 'completed_at', age });
  }

  /** Deletes messages that are due since longer than this: they were not sent because the app was off. */
  purgeUnsent(age: string): Promise<void> {
    const where = `status = 'queued'`;
    return purgeInBatches(this.statements, { table: 'webhook_messages', column: 'next_attempt_at', age, where });
  }
}
