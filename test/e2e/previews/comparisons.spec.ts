import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JobNotifier } from '../../../src/delivery/queues/job-notifier.js';
import { OutboxRepository } from '../../../src/delivery/outbox/outbox.repository.js';
import { ComparisonUsersPurge } from '../../../src/previews/comparisons/comparison-users-purge.js';
import { CompareChangeHandler } from '../../../src/previews/comparisons/compare-change.handler.js';
import { writeDownNow } from '../../support/comparisons.js';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import { standing } from '../../support/form-fields.js';
import { eventually } from '../../support/wait.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import type { TestClient } from '../../support/world.js';

type Counts = Record<string, unknown>;
interface Entry {
  readonly id: string;
  readonly metadata: Record<string, unknown>;
  readonly comparison?: {
    readonly changed_again_at: string | null;
    readonly after_day: { readonly effects: Counts[] } | null;
    readonly after_week: { readonly effects: Counts[] } | null;
  };
}
interface Row extends Record<string, unknown> {
  readonly id: string;
  readonly found: Record<string, number> | null;
  readonly changed_again_at: Date | null;
  readonly after_day: object | null;
  readonly after_week: object | null;
}

describe('A change whose effect was predicted', () => {
  let fixture: ConsoleFixture;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  const users = (id: string) =>
    fixture.world.sql<{ user_id: string }>('SELECT user_id FROM change_comparison_people WHERE audit_entry_id = $1', [
      id,
    ]);

  const rowOf = async (where: string, id: string): Promise<Row> => {
    const text = `SELECT audit_entry_id AS id, found, changed_again_at, after_day, after_week FROM change_comparisons
      WHERE ${where} ORDER BY changed_at DESC LIMIT 1`;
    return (await fixture.world.sql<Row>(text, [id]))[0]!;
  };

  /** Saves the form of settings and what the page asks then. @returns the comparison, once the users are written down */
  async function save(path: string, fields: Record<string, string | null>, browser: HostedBrowser = fixture.browser) {
    const shown = await fixture.fill(path, fields, browser);
    expect([shown.status, contentWords(shown).includes('Review the effect on users')]).toEqual([200, true]);
    expect((await browser.post(path, standing(shown, path))).status).toBe(303);
  }

  async function saved(app: TestClient, fields: Record<string, string | null>): Promise<Row> {
    await save(`/console/apps/${app.id}/sign-in`, fields);
    return writtenDown('app_id = $1', app.id);
  }

  const writtenDown = async (where: string, id: string) => {
    await writeDownNow(fixture.world, fixture.service);
    return eventually('the users are written down', async () => {
      const row = await rowOf(where, id);
      return row.found && row;
    });
  };

  /** The next step of the comparison is due, and done. */
  async function due(id: string, step: string): Promise<void> {
    await eventually(`${step} is ordered`, async () => (await waiting(id, step)).length === 1);
    await fixture.world.sql(`UPDATE outbox_messages SET available_at = now() WHERE id = ANY ($1)`, [
      await waiting(id, step),
    ]);
    await fixture.service.nest.get(JobNotifier, { strict: false }).sweep();
    await eventually(`${step} is done`, async () => (await waiting(id, step)).length === 0);
  }

  const forgotten = (id: string) => eventually('the list is deleted', async () => (await users(id)).length === 0);

  async function waiting(id: string, step: string): Promise<string[]> {
    const text = `SELECT id FROM outbox_messages WHERE job = 'change.compare' AND payload ->> 'change' = $1
      AND payload ->> 'step' = $2 AND done_at IS NULL`;
    return (await fixture.world.sql<{ id: string }>(text, [id, step])).map((each) => each.id);
  }

  const entryOf = async (app: TestClient, id: string): Promise<Entry> => {
    const path = `/admin/audit?app_id=${app.id}&action=app.updated`;
    return (await fixture.world.asAdmin<Entry[]>('GET', path)).find((entry) => entry.id === id)!;
  };

  it('is compared with what happened after a day and after a week, and shown at the change', async () => {
    const { world } = fixture;
    const app = await world.app(fixture.tenant);
    const [setUp, refused, absent, deleted, hasOne] = [
      await world.user(app),
      await world.user(app),
      await world.user(app),
      await world.user(app),
      await world.user(app),
    ];
    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [hasOne.id]);
    // A refusal before the change is none because of it.
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, outcome, user_id, tenant_id, app_id, metadata)
       VALUES (gen_random_uuid(), 'user.login_failed', 'anonymous', 'denied', $1, $2, $3, '{"reason": "second_factor_required"}')`,
      [absent.id, fixture.tenant.id, app.id],
    );
    const { id, found } = await saved(app, { require_2fa: 'on' });
    expect([found, (await users(id)).length]).toEqual([{ set_up_second_factor: 4 }, 4]);
    expect((await entryOf(app, id)).comparison).toEqual({ changed_again_at: null, after_day: null, after_week: null });
    const tab = `/console/apps/${app.id}/sign-in`;
    expect(contentWords(await fixture.browser.get(tab))).toContain(
      'Predicted: 4 users must set up a second factor at their next sign-in. It is compared with what happened a day and a week after the change.',
    );

    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [setUp.id]);
    await world.sql('DELETE FROM users WHERE id = $1', [deleted.id]);
    await expect(world.tokens(refused, app.id)).rejects.toThrow();
    await due(id, 'after_day');
    const counts = { effect: 'set_up_second_factor', predicted: 4, found: 4 };
    const afterDay = { ...counts, met: 1, refused: 1, waiting: 1, gone: 1, signed_in: 0 };
    expect((await entryOf(app, id)).comparison).toEqual({
      changed_again_at: null,
      after_day: { at: expect.any(String), effects: [afterDay] },
      after_week: null,
    });
    const said =
      'Predicted: 4 users must set up a second factor at their next sign-in. After a day, 1 has set it up, 1 was refused, 1 has not signed in yet';
    expect(contentWords(await fixture.browser.get(tab))).toContain(said);
    expect(contentWords(await fixture.browser.get(`/console/audit?app_id=${app.id}`))).toContain(said);

    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [refused.id]);
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, user_id, tenant_id, app_id)
       VALUES (gen_random_uuid(), 'user.login', 'user', $1, $2, $3)`,
      [refused.id, fixture.tenant.id, app.id],
    );
    await due(id, 'after_week');
    const { after_day, after_week } = (await entryOf(app, id)).comparison!;
    expect([after_day!.effects, after_week!.effects]).toEqual([
      [afterDay],
      [{ ...counts, met: 2, refused: 0, waiting: 1, gone: 1, signed_in: 1 }],
    ]);
    await forgotten(id);
  });

  it('is compared no further once the same setting is changed again, and only then', async () => {
    const { world } = fixture;
    const app = await world.app(fixture.tenant);
    await world.user(app);
    const { id } = await saved(app, { require_2fa: 'on' });
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { name: 'Renamed', config: { token_lifetime_minutes: 9 } });
    expect((await rowOf('audit_entry_id = $1', id)).changed_again_at).toBeNull();
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_2fa: false } });
    const { changed_again_at } = (await entryOf(app, id)).comparison!;
    expect(changed_again_at).not.toBeNull();
    await due(id, 'after_day');
    await forgotten(id);
    expect((await rowOf('audit_entry_id = $1', id)).after_day).toBeNull();
    expect(contentWords(await fixture.browser.get(`/console/audit?app_id=${app.id}`))).toMatch(
      /Changed again on \d+ \w+ \d+\./,
    );
  });

  it('is compared by one of two workers', async () => {
    const { world, service } = fixture;
    const app = await world.app(fixture.tenant);
    await world.user(app);
    const { id: change } = await saved(app, { require_2fa: 'on' });
    await eventually('the comparison is ordered', async () => (await waiting(change, 'after_day')).length === 1);
    const [job] = await waiting(change, 'after_day');
    const outbox = service.nest.get(OutboxRepository, { strict: false });
    const handler = service.nest.get(CompareChangeHandler, { strict: false });
    const meta = { id: job!, attempt: 1, lastAttempt: false, now: new Date() };
    const handle = () =>
      handler.handle({ change, step: 'after_day' }, { ...meta, finish: (tx) => outbox.markDone(job!, tx) });
    await Promise.all([handle(), handle()]);
    expect((await waiting(change, 'after_week')).length).toBe(1);
  });

  it('forgets its users when it is given up, also when that fails', async () => {
    const { world } = fixture;
    const app = await world.app(fixture.tenant);
    await world.user(app);
    const { id } = await saved(app, { require_2fa: 'on' });
    await eventually('after_day is ordered', async () => (await waiting(id, 'after_day')).length === 1);
    await world.sql('UPDATE outbox_messages SET attempts = max_attempts, available_at = now() WHERE id = ANY ($1)', [
      await waiting(id, 'after_day'),
    ]);
    await fixture.service.nest.get(JobNotifier, { strict: false }).sweep();
    await forgotten(id);
    await eventually('the deletion is done', async () => (await waiting(id, 'forget')).length === 0);
    const meta = { id, attempt: 15, lastAttempt: true, now: new Date(), finish: () => Promise.resolve(false) };
    await fixture.service.nest
      .get(CompareChangeHandler, { strict: false })
      .gaveUp({ change: id, step: 'forget' }, meta);
    expect((await waiting(id, 'forget')).length).toBe(1);
  });

  it('forgets its users by their age, whatever has become of its jobs', async () => {
    const { world } = fixture;
    const app = await world.app(fixture.tenant);
    await world.user(app);
    const [old, recent] = [
      await saved(app, { require_2fa: 'on' }),
      await saved(await withMember(), { require_2fa: 'on' }),
    ];
    await world.sql("UPDATE change_comparisons SET changed_at = now() - interval '11 days' WHERE audit_entry_id = $1", [
      old.id,
    ]);
    await fixture.service.nest.get(ComparisonUsersPurge, { strict: false }).run();
    expect([(await users(old.id)).length, (await users(recent.id)).length]).toEqual([0, 1]);
  });
  const withMember = async (): Promise<TestClient> => {
    const app = await fixture.world.app(fixture.tenant);
    await fixture.world.user(app);
    return app;
  };

  it('over the API, without a preview, is compared with those whom it affected when it was saved', async () => {
    const { world } = fixture;
    const app = await withMember();
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_2fa: true } });
    const { id, found } = await writtenDown('app_id = $1', app.id);
    expect(found).toEqual({ set_up_second_factor: 1 });
    await due(id, 'after_day');
    const { metadata, comparison } = await entryOf(app, id);
    expect(metadata).not.toHaveProperty('prediction');
    expect(comparison!.after_day!.effects).toEqual([
      {
        effect: 'set_up_second_factor',
        predicted: 1,
        found: 1,
        met: 0,
        refused: 0,
        waiting: 1,
        gone: 0,
        signed_in: 0,
      },
    ]);
  });

  it('that is changed again within a minute costs no walk over the members, and leaves no row', async () => {
    const { world } = fixture;
    const app = await withMember();
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_2fa: true } });
    const { id } = await rowOf('app_id = $1', app.id);
    const [job] = await world.sql<{ isLater: boolean }>(
      `SELECT o.available_at > c.changed_at + interval '30 seconds' AS "isLater" FROM outbox_messages o
       JOIN change_comparisons c ON c.audit_entry_id::text = o.payload ->> 'change'
       WHERE o.job = 'change.compare' AND c.audit_entry_id = $1`,
      [id],
    );
    expect(job).toEqual({ isLater: true });
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_2fa: false } });
    await writeDownNow(world, fixture.service);
    await eventually('it is over', async () => (await waiting(id, 'write_down')).length === 0);
    await eventually('its settings are deleted', async () => (await rowOf('audit_entry_id = $1', id)) === undefined);
    expect([await users(id), await waiting(id, 'after_day')]).toEqual([[], []]);
  });

  it('that affects no one is not compared', async () => {
    const { world } = fixture;
    const app = await world.app(fixture.tenant);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_2fa: true } });
    await writeDownNow(world, fixture.service);
    await eventually('it is forgotten', async () => (await rowOf('app_id = $1', app.id)) === undefined);
    const text = `SELECT 1 FROM outbox_messages o JOIN audit_entries e ON e.id::text = o.payload ->> 'change'
      WHERE o.job = 'change.compare' AND o.payload ->> 'step' <> 'write_down' AND e.app_id = $1`;
    expect(await world.sql(text, [app.id])).toEqual([]);
  });

  it('tells an admin of a tenant nothing of sign-ins at the platform’s Console', async () => {
    const { world } = fixture;
    const tenant = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    const other = await world.tenantAdmin(tenant);
    const path = `/console/tenants/${tenant.id}`;
    const browser = await visitConsole(world, admin);
    const page = await browser.get('/console/tenant');
    const shown = await browser.post(path, { ...standing(page, path), require_2fa: 'on' });
    expect((await browser.post(path, standing(shown, path))).status).toBe(303);
    const { id } = await writtenDown('tenant_id = $1 AND app_id IS NULL', tenant.id);
    const [platform] = await world.sql<{ id: string; tenant_id: string }>(
      `SELECT a.id, a.tenant_id FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.is_console_app AND t.is_platform`,
    );
    const places = await world.sql<{ app_id: string }>(
      'SELECT app_id FROM change_comparison_people WHERE audit_entry_id = $1 AND user_id = $2',
      [id, other.id],
    );
    expect(places.map(({ app_id }) => app_id)).toContain(platform!.id);
    for (const action of ['user.login', 'user.login_failed'])
      await world.sql(
        `INSERT INTO audit_entries (id, action, actor_type, outcome, user_id, tenant_id, app_id, metadata)
         VALUES (gen_random_uuid(), $1, 'user', 'denied', $2, $3, $4, '{"reason": "second_factor_required"}')`,
        [action, other.id, platform!.tenant_id, platform!.id],
      );
    await due(id, 'after_day');
    const effects = ((await rowOf('audit_entry_id = $1', id)).after_day as { effects: Record<string, Counts> }).effects;
    expect(Object.values(effects).map(({ refused, signedIn }) => [refused, signedIn])).toEqual([[0, 0]]);
  });

  it('counts what it was for all apps of a tenant, with its Console', async () => {
    const { world } = fixture;
    const tenant = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    const [one, other] = [await world.app(tenant), await world.app(tenant)];
    for (const app of [one, one, other]) await world.user(app);
    const path = `/console/tenants/${tenant.id}`;
    await save(path, { require_2fa: 'on' }, await visitConsole(world, world.admin));
    const { id, found } = await writtenDown('tenant_id = $1 AND app_id IS NULL', tenant.id);
    const [entry] = await world.sql<{ metadata: Record<string, unknown> }>(
      'SELECT metadata FROM audit_entries WHERE id = $1',
      [id],
    );
    expect(found).toEqual(entry!.metadata['prediction']);
    expect((await users(id)).filter(({ user_id }) => user_id === admin.id).length).toBeGreaterThan(0);
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { require_2fa: false });
    expect((await rowOf('audit_entry_id = $1', id)).changed_again_at).not.toBeNull();
  });

  it('of an app that is switched off counts who tried to sign in', async () => {
    const { world } = fixture;
    const app = await world.app(fixture.tenant, { name: 'Old shop' });
    await world.user(app);
    await world.user(app);
    const root = await visitConsole(world, world.admin);
    const off = `/console/apps/${app.id}/danger/off`;
    const shown = await fixture.fill(off, { confirm_name: 'Old shop' }, root);
    expect((await root.post(off, standing(shown, off))).status).toBe(303);
    expect((await writtenDown('app_id = $1', app.id)).found).toEqual({ shut_out: 2 });
  });
});
