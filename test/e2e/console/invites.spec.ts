import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import { newInvite } from '../../support/invites.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Console: overview of invites', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const list = () => `/console/invites?app_id=${app.id}`;
  const status = async (id: string) => (await world.asAdmin<{ status: string }>('GET', `/admin/invites/${id}`)).status;

  it('revokes and resends an invite after a confirmation', async () => {
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const email = `guest-${unique()}@example.com`;
    const invite = await newInvite(world, app, { send_to_email: email });
    const page = await browser.get(list());
    expect(contentWords(page)).toContain(email);
    const question = await browser.get(`/console/invites/${invite.id}/resend`);
    expect([await status(invite.id), contentWords(question)]).toEqual(['usable', expect.stringContaining(email)]);
    await browser.post(`/console/invites/${invite.id}/resend`, { form_token: contentToken(question) });
    expect(await status(invite.id)).toBe('exhausted');
    const again = await browser.get(list());
    expect(contentWords(again)).toContain(`A new invite was sent to ${email}.`);
    const made = /\/console\/invites\/([0-9a-f-]{36})\/revoke/.exec(again.body)![1]!;
    const asked = await browser.get(`/console/invites/${made}/revoke`);
    expect([await status(made), contentWords(asked)]).toEqual(['usable', expect.stringContaining(email)]);
    await browser.post(`/console/invites/${made}/revoke`, { form_token: contentToken(asked) });
    expect(await status(made)).toBe('exhausted');
  });

  it('shows an app manager only invites without rights, and no buttons', async () => {
    const plain = await newInvite(world, app, { roles: ['user'] });
    const strong = await newInvite(world, app, { roles: ['admin'] });
    const browser = await visitConsole(world, await world.user(app, { roles: ['manager'] }));
    const page = await browser.get(list());
    expect([page.status, page.body.includes(`${plain.id}/revoke`)]).toEqual([200, false]);
    for (const at of [list(), '/console/invites']) {
      const shown = (await browser.get(at)).body;
      expect([at, shown.includes(plain.code), shown.includes(strong.code)]).toEqual([at, true, false]);
    }
    expect((await browser.get(`/console/invites/${strong.id}/revoke`)).status).toBe(403);
  });

  it('lists the invites to all apps and tenants that the visitor administers, and no others', async () => {
    const second = await world.app(tenant, { name: `Depot ${unique()}` });
    const elsewhere = await world.app(await world.tenant());
    const [first, other, foreign] = [
      await newInvite(world, app, {}),
      await newInvite(world, second, {}),
      await newInvite(world, elsewhere, {}),
    ];
    const shown = async (user: TestUser) => {
      const { body } = await (await visitConsole(world, user)).get('/console/invites?per_page=100');
      return [first, other, foreign].map(({ code }) => body.includes(code));
    };
    expect(await shown(world.admin)).toEqual([true, true, true]);
    expect(await shown(await world.tenantAdmin(tenant))).toEqual([true, true, false]);
    expect(await shown(await world.user(second, { roles: ['admin'] }))).toEqual([false, true, false]);
    expect(await shown(await world.user(second, { roles: ['user', 'manager'] }))).toEqual([false, true, false]);
  });

  it('filters by app, by state, by a part of the address and by the name or ID of its user', async () => {
    const own = await world.tenant();
    const [shop, depot] = [await world.app(own), await world.app(own)];
    const mark = unique();
    const open = await newInvite(world, shop, { send_to_email: `50%_${mark}@example.com` });
    const revoked = await newInvite(world, depot, { send_to_email: `second-${mark}@example.com` });
    const expired = await newInvite(world, depot, {});
    const used = await newInvite(world, depot, {});
    await world.asAdmin('DELETE', `/admin/invites/${revoked.id}`);
    await world.sql(`UPDATE invites SET expires_at = now() - interval '1 minute' WHERE id = $1`, [expired.id]);
    await world.sql('UPDATE invites SET use_count = max_uses WHERE id = $1', [used.id]);
    const browser = await visitConsole(world, await world.tenantAdmin(own));
    const found = async (query: string) => {
      const { body } = await browser.get(`/console/invites?${query}`);
      const table = body.slice(body.indexOf('<tbody'), body.indexOf('</tbody'));
      return (table.match(/<tr/g) ?? []).length;
    };
    expect(await found('')).toBe(4);
    expect(await found(`app_id=${depot.id}`)).toBe(3);
    for (const state of ['usable', 'expired', 'used', 'revoked'])
      expect([state, await found(`state=${state}`)]).toEqual([state, 1]);
    expect(await found(`q=D-${mark}`)).toBe(1);
    expect(await found('q=%25_')).toBe(1);
    expect(await found('q=%25x')).toBe(0);
    expect(await found(`state=usable&q=${mark}&app_id=${shop.id}`)).toBe(1);
    expect(open.status).toBe('usable');
    const member = await world.user(shop);
    await world.sql(`UPDATE users SET display_name = 'Zoë ${mark}', email = $2, email_canonical = $2 WHERE id = $1`, [
      member.id,
      `50%_${mark}@example.com`,
    ]);
    expect([await found(`q=${mark}+zoe`), await found(`q=${member.id.slice(0, 13)}`)]).toEqual([1, 1]);
    await world.sql('DELETE FROM enrollments WHERE user_id = $1', [member.id]);
    expect([await found(`q=${mark}+zoe`), await found(`q=${mark}`)]).toEqual([0, 2]);
    const none = contentWords(await browser.get('/console/invites?q=nobody'));
    expect(none).toContain('Try a shorter part of the name or address, or view all invites');
  });

  // docs/decisions/0070
  it('marks an invite whose creator may no longer grant its roles, and renews or revokes it', async () => {
    const own = await world.app(tenant);
    const maker = await world.user(own, { roles: ['admin'] });
    const { access_token: token } = await world.tokens(maker, own.id);
    const fields = { roles: ['admin'] };
    const { body: made } = await world.call<{ id: string; code: string }>(
      'POST',
      `/admin/apps/${own.id}/invites`,
      fields,
      { token },
    );
    await world.asAdmin('PUT', `/admin/users/${maker.id}/roles`, { app_id: own.id, roles: [] });
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    for (const [at, base] of [
      [`/console/invites?app_id=${own.id}`, '/console/invites'],
      [`/console/apps/${own.id}/invites`, `/console/apps/${own.id}/invites`],
    ] as const) {
      const { body } = await browser.get(at);
      expect(body).toContain('No longer valid');
      expect(body).not.toContain(made.code);
      for (const act of ['resend', 'revoke']) expect(body).toContain(`${base}/${made.id}/${act}`);
    }
    const question = await browser.get(`/console/invites/${made.id}/resend`);
    await browser.post(`/console/invites/${made.id}/resend`, { form_token: contentToken(question) });
    const renewed = (await browser.get(`/console/invites?app_id=${own.id}&state=usable`)).body;
    expect(renewed).not.toContain('No longer valid');
    expect(renewed).toContain('/revoke');
  });

  it('copies the link of an invite, and leads to the form for a new one', async () => {
    const invite = await newInvite(world, app, {});
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const link = `${service.settings.baseUrl}/invite?code=${invite.code}`;
    for (const path of ['/console/invites', `/console/apps/${app.id}/invites`])
      expect([path, (await browser.get(path)).body.includes(`data-copy="${link.replace('=', '&#x3D;')}"`)]).toEqual([
        path,
        true,
      ]);
    expect((await browser.get('/console/invites')).body).toContain('href="/console/invites/new"');
    expect((await browser.get('/console/invites/new')).body).toContain(`value="${app.id}"`);
    const lacking = await browser.get('/console/invites/new?app_id=&continue=1');
    expect([lacking.status, contentWords(lacking)]).toEqual([422, expect.stringContaining('Choose an app.')]);
    const chosen = await browser.get(`/console/invites/new?app_id=${app.id}`);
    expect(chosen.location).toBe(`/console/apps/${app.id}/invites#new-invite`);
  });

  it('has pages of the chosen size', async () => {
    const own = await world.tenant();
    const shop = await world.app(own);
    await world.sql(
      `INSERT INTO invites (id, app_id, code_hash, code_sealed, roles, max_uses, expires_at, created_at)
       SELECT gen_random_uuid(), $1::uuid, sha256(($1::text || n)::bytea), 'x', '{user}', 1, now() + interval '1 day', now() - n * interval '1 minute'
       FROM generate_series(1, 60) AS n`,
      [shop.id],
    );
    const browser = await visitConsole(world, await world.tenantAdmin(own));
    const words = async (query: string) => contentWords(await browser.get(`/console/invites?${query}`));
    expect(await words('')).toContain('1–50');
    expect(await words('per_page=25&page=3')).toContain('51–60 of 60');
    expect(await words('per_page=100')).toContain('1–60 of 60');
  });

  it('leaves out the invites to archived apps until one is chosen', async () => {
    const own = await world.tenant();
    const shop = await world.app(own);
    const { code } = await newInvite(world, shop, {});
    await world.asAdmin('POST', `/admin/apps/${shop.id}/archive`);
    const browser = await visitConsole(world, await world.tenantAdmin(own));
    expect((await browser.get('/console/invites')).body).not.toContain(code);
    expect((await browser.get(`/console/invites?app_id=${shop.id}`)).body).toContain(code);
  });

  it('returns 403 for an app and 404 for an invite of another tenant', async () => {
    const browser = await visitConsole(world, await world.tenantAdmin(await world.tenant()));
    const invite = await newInvite(world, app, {});
    expect((await browser.get(list())).status).toBe(403);
    expect((await browser.get(`/console/invites/${invite.id}/revoke`)).status).toBe(404);
  });
});
