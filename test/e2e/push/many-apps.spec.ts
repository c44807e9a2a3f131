import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PatientOutbound } from '../../support/patient-outbound.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { testEvent, webhookApp } from '../../support/webhooks.js';
import { World } from '../../support/world.js';

const APPS = 16;
const MESSAGES = 40;
/** A quarter of the places of a process. */
const SHARE = 256;

// security 99
describe('Webhooks of a tenant with many apps whose receivers hang', () => {
  let service: TestApp;
  let world: World;
  let receiver: WebhookReceiver;
  /** Of the other tenant: a process opens so many connections to one host only. */
  let quick: WebhookReceiver;
  let database: TestDatabase;
  const outbound = new PatientOutbound();

  beforeAll(async () => {
    // Its own database: services of other tests would send these webhooks, too.
    [database, receiver, quick] = await Promise.all([
      freshDatabase(),
      WebhookReceiver.start(),
      WebhookReceiver.start(),
    ]);
    service = await startTestApp({
      settings: {
        databaseUrl: database.url,
        allowPrivateNetworkTargets: true,
        rateLimits: { enabled: false, overrides: {} },
      },
      override: outbound.override,
    });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await Promise.all([receiver.close(), quick.close()]);
    await world.close();
    await service.close();
    await database.drop();
  });

  /** Attempts that have a place. */
  const begun = async () => {
    const [row] = await world.sql<{ count: number }>(
      `SELECT count(*)::int FROM webhook_messages JOIN push_settings USING (app_id)
       WHERE webhook_url LIKE '%/hangs' AND status = 'queued' AND attempts = 1 AND last_error IS NULL`,
    );
    return row!.count;
  };

  const shareIsTaken = async () => {
    receiver.on('/hangs', () => undefined);
    const tenant = await world.tenant();
    const hanging = await Promise.all(
      Array.from({ length: APPS }, async () => {
        const { id } = await world.app(tenant);
        const config = { enabled: true, webhook_url: receiver.url('/hangs') };
        await world.asAdmin('PATCH', `/push/config/${id}`, config);
        return id;
      }),
    );
    const other = await webhookApp(world, quick.url('/quick'));
    await world.sql(
      `INSERT INTO webhook_messages (id, app_id, type, body, next_attempt_at)
       SELECT gen_random_uuid(), app, 'webhook.test', '{}', now() FROM unnest($1::uuid[]) app, generate_series(1, $2)`,
      [hanging, MESSAGES],
    );
    await Promise.all(hanging.map((id) => testEvent(world, { id })));
    await eventually('the tenant has its share', async () => (await begun()) >= SHARE);
    await Promise.all(Array.from({ length: 40 }, () => testEvent(world, other)));
    await quick.count('/quick', 40);
    expect(await begun()).toBe(SHARE);
  };

  it('have a share of the places together, and do not delay those of another tenant', () =>
    outbound.whilePatient(shareIsTaken));
});
