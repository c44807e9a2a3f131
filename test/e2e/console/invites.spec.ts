import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import { newInvite } from '../../support/invites.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

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
    const browser = await visitConsole(world, await world.person(app, { roles: ['manager'] }));
    const page = await browser.get(list());
    expect([page.status, page.body.includes(`${plain.id}/revoke`)]).toEqual([200, false]);
    const [row] = await world.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM invites WHERE app_id = $1 AND roles <@ ARRAY['user']`,
      [app.id],
    );
    expect(contentWords(page)).toContain(`${row!.count} invites`);
    expect((await browser.get(`/console/invites/${strong.id}/revoke`)).status).toBe(403);
  });

  it('returns 403 for an app and 404 for an invite of another tenant', async () => {
    const browser = await visitConsole(world, await world.tenantAdmin(await world.tenant()));
    const invite = await newInvite(world, app, {});
    expect((await browser.get(list())).status).toBe(403);
    expect((await browser.get(`/console/invites/${invite.id}/revoke`)).status).toBe(404);
  });
});
