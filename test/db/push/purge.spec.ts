import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource, type Repository } from 'typeorm';
import { databaseOptions } from '../../../src/database/connection/options.js';
import { type Statement, Statements } from '../../../src/database/statements.js';
import { PushDevicesRepository } from '../../../src/push/devices/push-devices.repository.js';
import { NotificationsRepository } from '../../../src/push/notifications/notifications.repository.js';
import { PushReplies } from '../../../src/push/notifications/sending/push-replies.service.js';
import { PushPurge } from '../../../src/push/push-purge.js';
import type { PushQuota } from '../../../src/push/quota/push-quota.service.js';
import type { PushSettingsRepository } from '../../../src/push/settings/push-settings.repository.js';
import { WebhookMessagesRepository } from '../../../src/push/webhooks/messages/webhook-messages.repository.js';
import { WebhookPurge } from '../../../src/push/webhooks/messages/webhook-purge.js';
import { MANY, seedMany } from '../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const APP = MANY.bigApp;
/** More than two batches of notifications, and more than one of webhook messages. */
const OLD = 5_100;
const YOUNG = 20_000;

const NOTHING = {} as unknown as Repository<never>;
const QUOTA = { purge: () => Promise.resolve() } as unknown as PushQuota;
const SETTINGS = { forgetPreviousSecrets: () => Promise.resolve() } as unknown as PushSettingsRepository;

function pushPurge(statements: Statements): PushPurge {
  const notifications = new NotificationsRepository(NOTHING, statements);
  return new PushPurge(
    notifications,
    new PushReplies(statements),
    QUOTA,
    new PushDevicesRepository(NOTHING, statements, {} as never),
  );
}

function webhookPurge(statements: Statements): WebhookPurge {
  return new WebhookPurge(new WebhookMessagesRepository(NOTHING, statements, {} as never), SETTINGS);
}

describe('Purge of notifications and webhook messages', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let statements: Statements;

  beforeAll(async () => {
    database = await freshDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await seedMany(client, 0, 200);
    await client.end();
    dataSource = await new DataSource({ ...databaseOptions(database.url), entities: [], logging: false }).initialize();
    statements = new Statements(dataSource);
  });

  beforeEach(async () => {
    for (const table of ['notifications', 'webhook_messages', 'push_devices', 'push_replies'])
      await dataSource.query(`DELETE FROM ${table}`);
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  const days = (from: number, to: number) =>
    `now() - interval '${from} days' * ($1::int - n) / $1 - interval '${to} days'`;

  async function notifications(count: number, completedAt: string): Promise<void> {
    await dataSource.query(
      `INSERT INTO notifications (id, app_id, user_id, title, body, ttl, expires_at, completed_at, status)
       SELECT gen_random_uuid(), '${APP}', (SELECT user_id FROM enrollments WHERE app_id = '${APP}' LIMIT 1),
         'x', repeat('x', 100), 60, now(), ${completedAt}, 'sent' FROM generate_series(1, $1::int) n`,
      [count],
    );
  }

  async function messages(count: number, more: { status: string; completedAt: string; nextAt: string }): Promise<void> {
    await dataSource.query(
      `INSERT INTO webhook_messages (id, app_id, type, body, status, next_attempt_at, completed_at)
       SELECT gen_random_uuid(), '${APP}', 'x', '{}', '${more.status}', ${more.nextAt}, ${more.completedAt}
       FROM generate_series(1, $1::int) n`,
      [count],
    );
  }

  const count = async (table: string) =>
    (await dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${table}`))[0]!.count;

  const reply = (age: string) =>
    dataSource.query(
      `INSERT INTO push_replies (app_id, key_hash, request_hash, created_at)
       VALUES ('${APP}', gen_random_uuid()::text::bytea, '', now() - interval '${age}')`,
    );

  // Ended notifications were once deleted at 10,000 an hour at most, for all apps together.
  it('deletes all that ended more than thirty days ago in one run', async () => {
    await notifications(OLD, days(10, 31));
    await notifications(3, days(2, 27));
    await messages(OLD, { status: 'delivered', completedAt: days(10, 31), nextAt: 'NULL' });
    await messages(OLD, { status: 'queued', completedAt: 'NULL', nextAt: days(10, 31) });
    await messages(3, { status: 'failed', completedAt: days(2, 27), nextAt: 'NULL' });
    await messages(4, { status: 'queued', completedAt: 'NULL', nextAt: days(2, 27) });
    await pushPurge(statements).run();
    await webhookPurge(statements).run();
    expect([await count('notifications'), await count('webhook_messages')]).toEqual([3, 7]);
  });

  it('that fails for one table goes on with the others, and says so', async () => {
    await notifications(1, days(1, 31));
    await reply('25 hours');
    await reply('23 hours');
    await dataSource.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, last_seen_at)
       SELECT user_id, app_id, user_id, 'web', sha256(user_id::text::bytea), 'x', now() - interval '271 days'
       FROM enrollments WHERE app_id = '${APP}' LIMIT 5`,
    );
    await dataSource.query(`
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
      CREATE TRIGGER keep BEFORE DELETE ON notifications FOR EACH ROW EXECUTE FUNCTION keep()`);
    try {
      await expect(pushPurge(statements).run()).rejects.toThrow(/1 of 5 purges failed: .*not today/);
    } finally {
      await dataSource.query('DROP TRIGGER keep ON notifications; DROP FUNCTION keep');
    }
    expect([await count('notifications'), await count('push_replies'), await count('push_devices')]).toEqual([1, 1, 0]);
    await pushPurge(statements).run();
    expect(await count('notifications')).toBe(0);
  });

  it('reads what is due from an index', async () => {
    await notifications(YOUNG, days(29, 0));
    await notifications(20, days(1, 31));
    await messages(YOUNG, { status: 'delivered', completedAt: days(29, 0), nextAt: 'NULL' });
    await messages(YOUNG, { status: 'queued', completedAt: 'NULL', nextAt: days(29, 0) });
    for (const table of ['notifications', 'webhook_messages']) await dataSource.query(`VACUUM (ANALYZE) ${table}`);
    const plans: Record<string, string> = {};
    const explaining = {
      run: async ({ name, text }: Statement, values: unknown[]) => {
        plans[name] = JSON.stringify(await dataSource.query(`EXPLAIN ${text}`, values));
        return [{ count: 0, last: null }];
      },
    } as unknown as Statements;
    await pushPurge(explaining).run();
    await webhookPurge(explaining).run();
    const indexes = {
      'purge.notifications.completed_at': 'ix_notifications_completed',
      'purge.webhook_messages.completed_at': 'ix_webhook_messages_completed',
      'purge.webhook_messages.next_attempt_at': 'ix_webhook_messages_queued',
    };
    for (const [name, index] of Object.entries(indexes)) {
      expect([name, plans[name]]).toEqual([name, expect.stringContaining(index)]);
      expect(plans[name]).not.toMatch(/Seq Scan on (notifications|webhook_messages)/);
    }
  });
});
