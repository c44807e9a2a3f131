import { Injectable } from '@nestjs/common';
import { Statements } from '../../database/statements.js';
import { QUEUES } from '../../delivery/queues/queues.js';
import { DUE } from '../../delivery/outbox/outbox.sql.js';
import { IS_OPEN, OPEN_WEBHOOKS } from '../../push/webhooks/messages/open-webhooks.sql.js';

/** Pending work. `name`: a queue, `push_deliveries`, `webhook_deliveries` or `audit` (entries to be sealed). */
export interface PendingWork {
  readonly name: string;
  /** Seconds since the oldest became due; 0 if nothing is due. */
  readonly oldestSeconds: number;
  /** Due and not running, at most {@link MAX_COUNTED_JOBS}; null if only the age is known. */
  readonly due: number | null;
  /** Abandoned in the last hour, at most {@link MAX_COUNTED_JOBS} in all queues together; null as for `due`. */
  readonly dead: number | null;
}

/** Counting stops here: operators act on the age, and the cost of a scrape must not depend on the backlog. */
export const MAX_COUNTED_JOBS = 1_000;

const secondsSince = (time: string): string => `greatest(0, coalesce(extract(epoch FROM now() - ${time}), 0))::float8`;

/**
 * One statement with index lookups only: one for each queue, and for each app with pending deliveries. Leaves out
 * webhooks that are switched off, or whose app is, because these wait on purpose.
 */
export const READ_BACKLOG = {
  name: 'metrics_backlog',
  text: `WITH RECURSIVE push AS (
      (SELECT app_id, next_attempt_at FROM notification_deliveries WHERE status = 'queued'
       ORDER BY app_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT next.* FROM push, LATERAL (
        SELECT app_id, next_attempt_at FROM notification_deliveries
        WHERE status = 'queued' AND app_id > push.app_id ORDER BY app_id, next_attempt_at LIMIT 1) AS next
    ), webhook AS (
      (SELECT app_id, next_attempt_at FROM webhook_messages WHERE status = 'queued'
       ORDER BY app_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT next.* FROM webhook, LATERAL (
        SELECT app_id, next_attempt_at FROM webhook_messages
        WHERE status = 'queued' AND app_id > webhook.app_id ORDER BY app_id, next_attempt_at LIMIT 1) AS next
    ), dead AS (
      SELECT queue, count(*)::int AS count FROM (
        SELECT queue FROM outbox_messages WHERE dead_at > now() - interval '1 hour' LIMIT ${MAX_COUNTED_JOBS}) AS recent
      GROUP BY queue
    )
    SELECT q.name,
      ${secondsSince(`(SELECT min(available_at) FROM outbox_messages WHERE queue = q.name AND ${DUE})`)} AS "oldestSeconds",
      (SELECT count(*)::int FROM (
        SELECT FROM outbox_messages WHERE queue = q.name AND ${DUE} LIMIT ${MAX_COUNTED_JOBS}) AS counted) AS due,
      coalesce((SELECT count FROM dead WHERE queue = q.name), 0) AS dead
    FROM unnest($1::text[]) AS q(name)
    UNION ALL SELECT 'push_deliveries', ${secondsSince(`least(min(next_attempt_at),
      (SELECT created_at FROM notification_batches WHERE next_attempt_at < 'infinity' ORDER BY id LIMIT 1))`)}, NULL, NULL FROM push
    UNION ALL SELECT 'webhook_deliveries', ${secondsSince('min(next_attempt_at)')}, NULL, NULL FROM webhook
      JOIN (${OPEN_WEBHOOKS}) ON s.app_id = webhook.app_id AND ${IS_OPEN}
    UNION ALL SELECT 'audit', ${secondsSince(`(
      SELECT created_at FROM audit_entries WHERE seq IS NULL ORDER BY ordinal LIMIT 1)`)}, NULL, NULL`,
};

/** The backlog of the whole installation, from the tables of several modules; for the metrics only. */
@Injectable()
export class BacklogRepository {
  constructor(private readonly statements: Statements) {}

  read(): Promise<PendingWork[]> {
    return this.statements.run<PendingWork & object>(READ_BACKLOG, [QUEUES]);
  }
}
