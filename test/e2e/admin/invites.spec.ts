import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExpiredInvitesPurge } from '../../../src/invites/invite/expired-invites-purge.js';
import { acceptNew, INVALID, type InviteRecord, newInvite, said } from '../../support/invites.js';
import { newAddress } from '../../support/new-user.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const DAY = 86_400_000;

describe('Invites in the admin API', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { available_roles: ['user', 'editor', 'manager', 'admin'] } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const asAdmin = <Body = InviteRecord>(method: string, path: string, body?: unknown): Promise<Answer<Body>> =>
    world.call<Body>(method, path, body, { token: world.admin.token });
  const row = async (id: string) => (await world.sql('SELECT * FROM invites WHERE id = $1', [id]))[0]!;
  const audited = (id: string) =>
    world.sql<{ action: string; metadata: object }>(
      'SELECT action, metadata FROM audit_entries WHERE target_id = $1 ORDER BY created_at, action',
      [id],
    );
  const managerOf = async (of: TestClient) =>
    (await world.tokens(await world.user(of, { roles: ['manager'] }), of.id)).access_token;

  describe('creation', () => {
    it('uses defaults: one use, seven days, the role user and no mail', async () => {
      const { status, body } = await asAdmin('POST', `/admin/apps/${app.id}/invites`, {});
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{13}$/),
        app_id: app.id,
        roles: ['user'],
        max_uses: 1,
        use_count: 0,
        status: 'usable',
        email: null,
        email_sent: false,
        expires_at: expect.any(String),
        created_at: expect.any(String),
        created_by: world.admin.id,
      });
      const lifetime = Date.parse(body.expires_at) - Date.parse((body as unknown as { created_at: string }).created_at);
      expect(lifetime).toBe(7 * DAY);
    });

    it('accepts every field, at both routes', async () => {
      const fields = { roles: ['editor'], max_uses: 50, expires_days: 2, send_to_email: ' Guest@Example.com ' };
      for (const [path, body] of [
        [`/admin/apps/${app.id}/invites`, fields],
        [`/admin/apps/${app.id}/invites`, { ...fields, app_id: app.id.toUpperCase() }],
        ['/admin/invites', { ...fields, app_id: app.id.toUpperCase() }],
      ] as const) {
        const answer = await asAdmin('POST', path, body);
        const { roles, max_uses } = fields;
        const expected = { app_id: app.id, roles, max_uses, email: 'Guest@Example.com', email_sent: true };
        expect([answer.status, answer.body]).toEqual([201, expect.objectContaining(expected)]);
        expect(await row(answer.body.id)).toMatchObject({ email_canonical: 'guest@example.com' });
      }
    });

    it('returns 422 if the body names another app than the path', async () => {
      const other = await world.app(tenant);
      const answer = await asAdmin('POST', `/admin/apps/${app.id}/invites`, { app_id: other.id });
      expect(said(answer)).toEqual([
        422,
        { detail: [{ loc: ['body', 'app_id'], msg: expect.any(String), type: 'value_error' }] },
      ]);
    });

    it('returns 422 for a role that the app does not offer', async () => {
      const answer = await asAdmin('POST', '/admin/invites', { app_id: app.id, roles: ['user', 'king'] });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'roles', 1], type: 'enum' }] });
    });

    it.each([
      ['max_uses', 0],
      ['max_uses', -1],
      ['max_uses', 1.5],
      ['max_uses', 100_001],
      ['max_uses', null],
      ['expires_days', 0],
      ['expires_days', 366],
      ['roles', ['user', 1]],
      ['send_to_email', 'a@b.example, c@d.example'],
      ['send_to_email', ['a@b.example']],
    ])('returns 422 for %s %j', async (field, value) => {
      const answer = await asAdmin('POST', '/admin/invites', { app_id: app.id, [field]: value });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ detail: [{ loc: expect.arrayContaining(['body', field]) }] });
    });

    it('returns 404 to a platform admin and 403 to others for an unknown app', async () => {
      const nowhere = '00000000-0000-4000-8000-000000000000';
      expect((await asAdmin('POST', `/admin/apps/${nowhere}/invites`, {})).status).toBe(404);
      expect((await asAdmin('GET', `/admin/apps/${nowhere}/invites`)).status).toBe(404);
      const token = await managerOf(app);
      for (const method of ['GET', 'POST'])
        expect(
          (await world.call(method, `/admin/apps/${nowhere}/invites`, method === 'POST' ? {} : undefined, { token }))
            .status,
        ).toBe(403);
    });

    it('is recorded in the audit log without the code', async () => {
      const made = await newInvite(world, app, { roles: ['editor'], max_uses: 3 });
      expect(await audited(made.id)).toEqual([
        { action: 'invite.created', metadata: { roles: ['editor'], max_uses: 3, email: null } },
      ]);
    });

    it('stores the code only encrypted', async () => {
      const { id, code } = await newInvite(world, app, { send_to_email: newAddress() });
      const stored = await row(id);
      expect(JSON.stringify(stored)).not.toContain(code);
      expect(stored['code_sealed']).toMatch(/^v1\./);
      const everywhere = await world.sql(
        `SELECT 1 FROM audit_entries WHERE metadata::text LIKE $1 UNION ALL SELECT 1 FROM outbox_messages WHERE payload::text LIKE $1`,
        [`%${code}%`],
      );
      expect(everywhere).toEqual([]);
    });
  });

  describe('reading', () => {
    it('lists invites newest first in pages with the total', async () => {
      const own = await world.app(tenant);
      const made: string[] = [];
      for (let each = 0; each < 5; each++) made.unshift((await newInvite(world, own)).id);
      const first = await asAdmin<InviteRecord[]>('GET', `/admin/apps/${own.id}/invites?limit=2`);
      expect(first.body.map(({ id }) => id)).toEqual(made.slice(0, 2));
      expect(first.headers.get('x-total-count')).toBe('5');
      expect(first.headers.get('link')).toContain('page=2');
      const last = await asAdmin<InviteRecord[]>('GET', `/admin/apps/${own.id}/invites?limit=2&page=3`);
      expect(last.body.map(({ id }) => id)).toEqual(made.slice(4));
      expect(last.headers.get('link')).toBeNull();
    });

    it('shows the code again', async () => {
      const made = await newInvite(world, app);
      expect((await asAdmin('GET', `/admin/invites/${made.id}`)).body).toEqual(made);
    });

    it('shows the status exhausted or expired', async () => {
      const used = await newInvite(world, app);
      expect((await acceptNew(world, app, used.code)).status).toBe(200);
      const old = await newInvite(world, app);
      await world.sql('UPDATE invites SET expires_at = now() WHERE id = $1', [old.id]);
      expect((await asAdmin('GET', `/admin/invites/${used.id}`)).body).toMatchObject({
        status: 'exhausted',
        use_count: 1,
      });
      expect((await asAdmin('GET', `/admin/invites/${old.id}`)).body).toMatchObject({
        status: 'expired',
        use_count: 0,
      });
    });

    // security 80
    it('shows an app manager no invites that grant more than the role user', async () => {
      const own = await world.app(tenant);
      const [forUser, forAdmin] = [await newInvite(world, own), await newInvite(world, own, { roles: ['admin'] })];
      const token = await managerOf(own);
      const list = await world.call<InviteRecord[]>('GET', `/admin/apps/${own.id}/invites`, undefined, { token });
      expect(list.body.map(({ id }) => id)).toEqual([forUser.id]);
      expect(list.headers.get('x-total-count')).toBe('1');
      expect((await world.call('GET', `/admin/invites/${forUser.id}`, undefined, { token })).status).toBe(200);
      const hidden = await world.call('GET', `/admin/invites/${forAdmin.id}`, undefined, { token });
      expect(said(hidden)).toEqual([404, { detail: 'Invite not found' }]);
    });

    it('shows the other invites if one code can no longer be decrypted', async () => {
      const own = await world.app(tenant);
      const [broken, whole] = [await newInvite(world, own), await newInvite(world, own)];
      await world.sql('UPDATE invites SET code_sealed = $2 WHERE id = $1', [broken.id, 'v1.00000000.AAAA']);
      const { body } = await asAdmin<InviteRecord[]>('GET', `/admin/apps/${own.id}/invites`);
      expect(body.map(({ code }) => code)).toEqual([whole.code, null]);
    });
  });

  describe('revocation', () => {
    it('makes the code invalid, and changes nothing the second time', async () => {
      const made = await newInvite(world, app, { max_uses: 5 });
      expect((await acceptNew(world, app, made.code)).status).toBe(200);
      for (let time = 0; time < 2; time++) {
        const { status, body } = await asAdmin('DELETE', `/admin/invites/${made.id}`);
        expect([status, body]).toEqual([
          200,
          expect.objectContaining({ status: 'exhausted', max_uses: 1, use_count: 1 }),
        ]);
      }
      expect(said(await acceptNew(world, app, made.code))).toEqual(INVALID);
      const actions = (await audited(made.id)).map(({ action }) => action);
      expect(actions).toEqual(['invite.created', 'invite.accepted', 'invite.revoked']);
    });

    it('returns 404 for an unknown invite, as do reading and resending', async () => {
      const nothing = '00000000-0000-4000-8000-000000000000';
      for (const [method, path] of [
        ['GET', `/admin/invites/${nothing}`],
        ['DELETE', `/admin/invites/${nothing}`],
        ['POST', `/admin/invites/${nothing}/resend`],
      ] as const)
        expect(said(await asAdmin(method, path))).toEqual([404, { detail: 'Invite not found' }]);
    });
  });

  describe('resending', () => {
    it('creates a new invite with the remaining uses and exhausts the old one', async () => {
      const email = `guest-${unique()}@example.com`;
      const old = await newInvite(world, app, { max_uses: 4, roles: ['editor'], send_to_email: email });
      await world.sql('UPDATE invites SET use_count = 1 WHERE id = $1', [old.id]);
      const { status, body } = await asAdmin('POST', `/admin/invites/${old.id}/resend`, { expires_days: 3 });
      expect(status).toBe(200);
      expect(body).toMatchObject({ max_uses: 3, use_count: 0, roles: ['editor'], email, email_sent: true });
      expect([body.id === old.id, body.code === old.code]).toEqual([false, false]);
      expect((await asAdmin('GET', `/admin/invites/${old.id}`)).body).toMatchObject({
        status: 'exhausted',
        max_uses: 1,
      });
      expect(said(await acceptNew(world, app, old.code, { email }))).toEqual(INVALID);
      expect((await acceptNew(world, app, body.code, { email })).status).toBe(200);
      expect((await audited(body.id))[0]).toEqual({
        action: 'invite.resent',
        metadata: { replaces: old.id, email },
      });
    });

    it('to another address makes the invite valid for that address', async () => {
      const [wrong, right] = [`wrong-${unique()}@example.com`, `right-${unique()}@example.com`];
      const old = await newInvite(world, app, { send_to_email: wrong });
      const { body } = await asAdmin('POST', `/admin/invites/${old.id}/resend`, { send_to_email: right });
      expect(body).toMatchObject({ email: right, email_sent: true });
      expect((await acceptNew(world, app, body.code, { email: right })).status).toBe(200);
    });

    it('without an address creates a new code and returns email_sent false', async () => {
      const old = await newInvite(world, app);
      const { status, body } = await asAdmin('POST', `/admin/invites/${old.id}/resend`);
      expect([status, body.email_sent]).toEqual([200, false]);
      expect((await acceptNew(world, app, body.code)).status).toBe(200);
    });

    it('renews an expired invite', async () => {
      const old = await newInvite(world, app);
      await world.sql(`UPDATE invites SET expires_at = now() - interval '1 day' WHERE id = $1`, [old.id]);
      const { body } = await asAdmin('POST', `/admin/invites/${old.id}/resend`);
      expect((await acceptNew(world, app, body.code)).status).toBe(200);
    });

    it('returns 409 for an invite that is used up or revoked', async () => {
      const [used, revoked] = [await newInvite(world, app), await newInvite(world, app, { max_uses: 9 })];
      expect((await acceptNew(world, app, used.code)).status).toBe(200);
      await asAdmin('DELETE', `/admin/invites/${revoked.id}`);
      const before = await world.sql('SELECT count(*) FROM invites WHERE app_id = $1', [app.id]);
      for (const { id } of [used, revoked])
        expect(said(await asAdmin('POST', `/admin/invites/${id}/resend`))).toEqual([
          409,
          { detail: 'Invite is exhausted' },
        ]);
      expect(await world.sql('SELECT count(*) FROM invites WHERE app_id = $1', [app.id])).toEqual(before);
    });
  });

  // security 80
  describe('to a Console app, which grants rights over the tenant', () => {
    const consoleOf = (of: TestTenant) => ({ id: of.consoleAppId });
    const tokenOf = async (email: { id: string; email: string; password: string }, appId: string) =>
      (await world.tokens(email, appId)).access_token;

    it('can be created, read and revoked only by admins of that tenant and platform admins', async () => {
      const foreign = await world.tenant();
      const sibling = await world.app(tenant);
      const own = await tokenOf(await world.tenantAdmin(tenant), tenant.consoleAppId);
      const others = {
        'foreign tenant admin': await tokenOf(await world.tenantAdmin(foreign), foreign.consoleAppId),
        'app admin': await tokenOf(await world.user(sibling, { roles: ['admin'] }), sibling.id),
        'app admin at the Console': await tokenOf(
          await world.user(sibling, { roles: ['admin'] }),
          world.platformConsoleId,
        ),
        'app manager': await managerOf(sibling),
        'service token': await world.serviceToken(sibling, 'invites:create'),
      };
      const path = `/admin/apps/${tenant.consoleAppId}/invites`;
      const made = await world.call<InviteRecord>('POST', path, {}, { token: own });
      expect(made.status).toBe(201);
      for (const [who, token] of Object.entries(others)) {
        for (const [method, address, body, status] of [
          ['POST', path, {}, 403],
          ['POST', '/admin/invites', { app_id: tenant.consoleAppId, roles: ['user'] }, 403],
          ['POST', `/admin/apps/${world.platformConsoleId}/invites`, {}, 403],
          ['GET', path, undefined, 403],
          ['GET', `/admin/invites/${made.body.id}`, undefined, who === 'service token' ? 403 : 404],
          ['DELETE', `/admin/invites/${made.body.id}`, undefined, /manager|service/.test(who) ? 403 : 404],
          ['POST', `/admin/invites/${made.body.id}/resend`, {}, /manager|service/.test(who) ? 403 : 404],
        ] as const)
          expect([who, method, address, (await world.call(method, address, body, { token })).status]).toEqual([
            who,
            method,
            address,
            status,
          ]);
      }
      expect((await asAdmin('POST', `/admin/apps/${world.platformConsoleId}/invites`, {})).status).toBe(201);
      expect(
        (await world.call('POST', `/admin/apps/${world.platformConsoleId}/invites`, {}, { token: own })).status,
      ).toBe(403);
    });

    it('make the user who accepts a tenant admin', async () => {
      const { code } = await newInvite(world, consoleOf(tenant));
      const answer = await acceptNew(world, consoleOf(tenant), code);
      expect(answer.status).toBe(200);
      const tenants = await world.call<{ id: string }[]>('GET', '/admin/tenants', undefined, {
        token: answer.body.access_token,
      });
      expect(tenants.body.map(({ id }) => id)).toEqual([tenant.id]);
    });
  });

  describe('with a service token', () => {
    it('can be created only for its own app and without admin or manager roles', async () => {
      const sibling = await world.app(tenant);
      const token = await world.serviceToken(app, 'invites:create');
      const create = (appId: string, fields: object = {}) =>
        world.call<InviteRecord>('POST', '/admin/invites', { app_id: appId, ...fields }, { token });
      const made = await create(app.id, { roles: ['user', 'editor'] });
      expect([made.status, made.body.created_by]).toEqual([201, null]);
      for (const roles of [['manager'], ['user', 'admin'], ['editor', 'manager']])
        expect((await create(app.id, { roles })).status).toBe(403);
      expect((await create(sibling.id)).status).toBe(403);
      expect((await create(tenant.consoleAppId)).status).toBe(403);
    });
  });

  it('are deleted with their email address three months after their end', async () => {
    const [old, recent] = [
      await newInvite(world, app, { send_to_email: 'old@example.com' }),
      await newInvite(world, app),
    ];
    await world.sql(`UPDATE invites SET expires_at = now() - interval '91 days' WHERE id = $1`, [old.id]);
    await world.sql(`UPDATE invites SET expires_at = now() - interval '89 days' WHERE id = $1`, [recent.id]);
    await service.nest.get(ExpiredInvitesPurge, { strict: false }).run();
    expect(await world.sql('SELECT id FROM invites WHERE id = ANY($1)', [[old.id, recent.id]])).toEqual([
      { id: recent.id },
    ]);
  });
});
