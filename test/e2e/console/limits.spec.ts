import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { actAs, contentToken, contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { pushApp, registerDevice } from '../../support/push.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const PAGE = '/console/queues/limits';

describe('Console: rate limits', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let root: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: {
        databaseUrl: database.url,
        rateLimits: { enabled: true, overrides: { login_ip: { points: 1_000, seconds: 900 } } },
      },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    root = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const of = (address: string) => `${PAGE}?${new URLSearchParams({ address }).toString()}`;
  const guess = async (email: string) =>
    (await world.login({ id: '', email, password: 'a wrong password' }, app.id)).status;
  const clear = (address: string, from = of(address)) => sendConsoleForm(root, from, PAGE, { address });
  const audited = (type: string, id: string) =>
    world.sql(
      `SELECT actor_id, metadata FROM audit_entries
       WHERE action = 'rate_limit.cleared' AND target_type = $1 AND target_id = $2`,
      [type, id],
    );

  describe('Rate limits of a signed-in user', () => {
    const spend = (label: 'admin' | 'own_account', key: string) => {
      const limits = service.nest.get(RateLimitsService, { strict: false });
      return Promise.all(Array.from({ length: 600 }, () => limits.consume(label, key).catch(() => null)));
    };
    const expectRefused = ({ status, headers, body }: HostedAnswer) => {
      expect([status, body.includes('Too many attempts')]).toEqual([429, true]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    };

    it('apply to the forms of the account page and change nothing when exceeded', async () => {
      const user = await world.user(app);
      const push = await pushApp(world);
      const owner = await world.user(push);
      const device = await registerDevice(world, push, owner);
      const [browser, free] = [await visitAccount(world, owner), await visitAccount(world, user)];
      const form_token = (await browser.get('/account')).formToken();
      await spend('own_account', owner.id);
      expectRefused(await browser.post(`/account/push-devices/${device}/remove`, { form_token }));
      expect(await world.sql('SELECT 1 FROM push_devices WHERE id = $1', [device])).toHaveLength(1);
      expect((await sendForm(free, '/account/profile', { display_name: 'Ada' })).status).toBe(303);
    });

    it('apply to the Console and the admin API together', async () => {
      const admin = await world.tenantAdmin(tenant);
      const browser = await visitConsole(world, admin);
      const page = await browser.get('/console/confirm-identity');
      expect(page.status).toBe(200);
      await spend('admin', `user:${admin.id}`);
      expectRefused(await browser.get('/console/confirm-identity'));
      expectRefused(await browser.post('/console/confirm-identity', { form_token: contentToken(page) }));
      const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
      expect((await world.call('GET', '/admin/apps', undefined, { token })).status).toBe(429);
      await world.asAdmin('POST', `/admin/users/${admin.id}/rate-limits/clear`);
      expect((await browser.get('/console/confirm-identity')).status).toBe(200);
    });
  });

  it('are shown and cleared for an app by its id', async () => {
    const server = await world.app(tenant);
    const wrong = { grant_type: 'client_credentials', client_id: server.id, client_secret: 'not the secret' };
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await world.call('POST', '/auth/token', wrong)).status).toBe(401);
    expect(contentWords(await root.get(of(server.id)))).toMatch(
      new RegExp(`client_credentials ${server.id} 127.0.0.1 3 of 10 \\d+ minutes?`),
    );
    // These are counted after the answers, and must not come after the limits were cleared.
    await eventually('the recorded refusals are counted', async () =>
      contentWords(await root.get(of(server.id))).includes(`refused_clients ${server.id} 3 of 10`),
    );
    const { location } = await clear(server.id);
    expect(contentWords(await root.get(location!))).toContain('No rate limits are active');
    expect(await audited('app', server.id)).toHaveLength(1);
  });

  it('are shown and cleared for a tenant by its id: of all its apps, of itself, and of each app', async () => {
    const limits = service.nest.get(RateLimitsService, { strict: false });
    const { id } = await world.tenant();
    await limits.consume('invite_mail', `${id} ${app.id}`);
    for (const part of [id, `own:${id}`]) await limits.consume('scheduled_change_tenant', `${part} ${unique()}`);
    const words = contentWords(await root.get(of(id)));
    expect(words).toMatch(new RegExp(`invite_mail ${id} 1 of 10,?000 `));
    expect(words).toMatch(new RegExp(`invite_mail ${id} ${app.id} 1 of 1,?000 `));
    for (const part of [id, `own:${id}`]) {
      expect(words).toMatch(new RegExp(`scheduled_change_tenant ${part} 1 of 300 `));
      expect(words).toMatch(new RegExp(`scheduled_change_tenant ${part} \\S+ 1 of 30 `));
    }
    const { location } = await clear(id);
    expect(contentWords(await root.get(location!))).toContain('No rate limits are active');
  });

  it('are shown and cleared for an email address without an account, with an audit entry', async () => {
    const email = `Nobody-${unique()}@example.com`;
    for (let attempt = 0; attempt < 5; attempt++) expect(await guess(email)).toBe(401);
    expect(await guess(email)).toBe(429);
    const list = await root.get('/console/queues');
    expect(list.body).toContain(`${PAGE}?address&#x3D;${encodeURIComponent(email.toLowerCase())}`);
    const words = contentWords(await root.get(of(email)));
    expect(words).toContain('No account has this address.');
    expect(words).toMatch(new RegExp(`login_email ${email.toLowerCase()} 127.0.0.1 6 of 5 \\d+ minutes?`));
    expect(await guess(email)).toBe(429);
    const answer = await clear(email);
    expect([answer.status, answer.location]).toEqual([303, of(email)]);
    const after = contentWords(await root.get(answer.location!));
    expect(after).toContain(`Cleared. ${email} can try again immediately.`);
    expect(after).toContain('No rate limits are active');
    expect(await guess(email)).toBe(401);
    expect(await audited('email', email.toLowerCase())).toEqual([
      {
        actor_id: world.admin.id,
        metadata: {
          counters: [
            { label: 'login_email', count: 5 },
            { label: 'login_email', count: 7 },
          ],
        },
      },
    ]);
  });

  it('include those of the user if the email address has an account', async () => {
    const user = await world.user(app);
    await guess(user.email);
    await service.nest.get(RateLimitsService, { strict: false }).consume('totp', user.id);
    const page = await root.get(of(user.email));
    expect(page.body).toContain(`href="/console/users/${user.id}/account"`);
    for (const label of ['login_email', 'totp']) expect(contentWords(page)).toContain(label);
    await clear(user.email);
    expect(contentWords(await root.get(of(user.email)))).toContain('No rate limits are active');
    expect(await audited('user', user.id)).toHaveLength(1);
  });

  it.each([
    ['2001:db8:7::/64', '2001:db8:7::5', '2001:db8:7::/64'],
    ['203.0.113.9', '203.0.113.9', '::ffff:203.0.113.9'],
  ])('of the network %s are found by %s and by %s', async (key, one, other) => {
    await service.nest.get(RateLimitsService, { strict: false }).consume('signup_ip', key);
    for (const address of [one, other]) {
      const words = contentWords(await root.get(of(address)));
      expect([address, words]).toEqual([address, expect.stringContaining(`signup_ip ${key} 1 of 100`)]);
      expect(words).toContain('All users behind this IP address share these limits.');
    }
    await clear(other);
    expect(contentWords(await root.get(of(one)))).toContain('No rate limits are active');
    expect(await audited('address', key)).toHaveLength(1);
  });

  it('return 422 for an invalid address and keep what was typed', async () => {
    expect((await root.get(PAGE)).status).toBe(200);
    for (const text of ['nobody', '203.0.113.0/24', '"><script>alert(1)</script>']) {
      const answer = await root.get(of(text));
      expect([text, answer.status]).toEqual([text, 422]);
      expect(contentWords(answer)).toContain(
        'Enter an e-mail address, an IP address, or the ID of an app or a tenant.',
      );
      expect(answer.body).not.toContain('<script>alert');
    }
    const form_token = contentToken(await root.get('/console/users/new'));
    expect((await root.post(PAGE, { form_token, address: 'nobody' })).status).toBe(422);
    expect((await root.post(PAGE, { form_token })).status).toBe(422);
  });

  it('return 403 to tenant admins and during an impersonation', async () => {
    const email = `guarded-${unique()}@example.com`;
    await guess(email);
    const acting = await visitConsole(world, world.admin);
    await actAs(acting, `impersonate/${tenant.id}`);
    for (const browser of [await visitConsole(world, await world.tenantAdmin(tenant)), acting]) {
      expect((await browser.get(of(email))).status).toBe(403);
      const form_token = contentToken(await browser.get('/console/users/new'));
      expect((await browser.post(PAGE, { form_token, address: email })).status).toBe(403);
    }
    expect(contentWords(await root.get(of(email)))).toContain('1 of 5');
    expect(await audited('email', email)).toEqual([]);
  });
});
