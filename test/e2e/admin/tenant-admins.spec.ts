import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { acceptNew, codeIn } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser } from '../../support/new-user.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestTenant, unique, type World } from '../../support/world.js';

const ABSENT = '00000000-0000-4000-8000-000000000000';
const NEW_ADMIN = 'A new administrator';
const MADE_ADMIN = 'You were made an administrator';

interface AdminBody {
  user_id: string | null;
  email: string;
  display_name: string | null;
  status: string;
  created_at: string;
  detail?: unknown;
}

describe('/admin/tenants/{tenant_id}/admins', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let admin: TestUser;
  let token: string;

  beforeAll(async () => {
    mailing = await startMailingService({ rateLimits: { enabled: false, overrides: {} } });
    ({ world } = mailing);
    tenant = await world.tenant({ name: 'Acme http://evil.example' });
    admin = await world.tenantAdmin(tenant);
    token = (await world.tokens(admin, tenant.consoleAppId)).access_token;
  });

  afterAll(() => mailing.close());

  const pathOf = (of: TestTenant) => `/admin/tenants/${of.id}/admins`;
  const list = (of = tenant, bearer = token) =>
    world.call<AdminBody[]>('GET', pathOf(of), undefined, { token: bearer });
  const newsTo = (email: string) => mailing.smtp.to(email).filter(({ subject }) => subject === NEW_ADMIN);
  const add = (body: object, of = tenant, bearer = token) =>
    world.call<AdminBody>('POST', pathOf(of), body, { token: bearer });
  const remove = (userId: string, of = tenant, bearer = token) =>
    world.call<AdminBody>('DELETE', `${pathOf(of)}/${userId}`, undefined, { token: bearer });
  const enrolled = (userId: string, of = tenant) =>
    world.sql<{ roles: string[]; status: string }>(
      'SELECT roles, status FROM enrollments WHERE user_id = $1 AND app_id = $2',
      [userId, of.consoleAppId],
    );
  const audited = (of: TestTenant, action: string) =>
    world.sql<{ user_id: string | null; actor_id: string; metadata: object }>(
      'SELECT user_id, actor_id, metadata FROM audit_entries WHERE tenant_id = $1 AND action = $2 ORDER BY created_at',
      [of.id, action],
    );
  const visible = async (of: TestTenant) => world.user(await world.app(of));

  it('adds an admin by user_id, with rights from the next request', async () => {
    const own = await world.tenant();
    const user = await visible(own);
    const answer = await add({ user_id: user.id.toUpperCase() }, own, world.admin.token);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        user_id: user.id,
        email: user.email,
        display_name: 'Ada Lovelace',
        status: 'active',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(await enrolled(user.id, own)).toEqual([{ roles: ['user', 'admin'], status: 'active' }]);
    expect(await audited(own, 'tenant.admin_added')).toEqual([
      { user_id: user.id, actor_id: world.admin.id, metadata: {} },
    ]);
    const { access_token } = await world.tokens(user, own.consoleAppId);
    expect((await list(own, access_token)).body).toEqual([answer.body]);
  });

  it('adds an admin by a verified email address in any spelling', async () => {
    const user = await visible(tenant);
    const answer = await add({ email: ` ${user.email.toUpperCase()}` });
    expect([answer.status, answer.body.user_id, answer.body.status]).toEqual([201, user.id, 'active']);
    expect((await world.login(user, tenant.consoleAppId)).status).toBe(200);
  });

  it('invites a user whom the tenant admin cannot see, with the answer for an unknown address', async () => {
    const own = await world.tenant();
    const bearer = (await world.tokens(await world.tenantAdmin(own), own.consoleAppId)).access_token;
    const foreign = await visible(tenant);
    const answers = [];
    for (const email of [foreign.email, newAddress()]) {
      const { status, body } = await add({ email }, own, bearer);
      answers.push([status, { ...body, email: body.email === email, created_at: typeof body.created_at }]);
      expect(await mailing.smtp.next(email, 'You are invited')).toBeDefined();
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toEqual([
      201,
      expect.objectContaining({ user_id: null, display_name: null, status: 'invited' }),
    ]);
    expect(await enrolled(foreign.id, own)).toEqual([]);
    expect((await world.call('GET', `/admin/users/${foreign.id}/detail`, undefined, { token: bearer })).status).toBe(
      404,
    );
    const byPlatform = await add({ email: foreign.email }, own, world.admin.token);
    expect([byPlatform.status, byPlatform.body.user_id]).toEqual([201, foreign.id]);
  });

  it('mails the other admins about the new admin, and the new admin about their rights', async () => {
    const own = await world.tenant({ name: 'Shop http://evil.example', support_email: 'help@shop.example' });
    const [first, second] = [await world.tenantAdmin(own), await world.tenantAdmin(own)];
    const suspended = await world.tenantAdmin(own);
    await world.asAdmin('POST', `/admin/users/${suspended.id}/suspend`, { app_id: own.consoleAppId });
    const user = await visible(own);
    const { access_token } = await world.tokens(first, own.consoleAppId);
    await add({ email: user.email }, own, access_token);
    for (const { email } of [first, second]) {
      const mail = await eventually(`news for ${email}`, () =>
        mailing.smtp.to(email).find(({ text }) => text?.includes(user.email)),
      );
      for (const text of [mail.text!, mail.html as string]) {
        expect(text).toContain(user.email);
        expect(text).toContain(first.email);
        expect(text).not.toContain('http://evil.example');
      }
      expect(mail.replyTo?.text).toBe('help@shop.example');
    }
    const toThem = await mailing.smtp.next(user.email, MADE_ADMIN);
    expect(toThem.text).toContain(first.email);
    await quietOutbox(world);
    expect(mailing.smtp.to(user.email)).toHaveLength(1);
    expect(mailing.smtp.to(suspended.email).filter(({ text }) => text?.includes(user.email))).toEqual([]);
    const news = mailing.smtp.to(first.email).filter(({ text }) => text?.includes(user.email));
    expect(news).toHaveLength(1);
  });

  it.each(['PUT …/roles', 'POST /admin/users'])(
    'mails the other admins about an admin added with %s too, and creates audit entries',
    async (how) => {
      const own = await world.tenant({ name: `Told ${unique()}` });
      const first = await world.tenantAdmin(own);
      const bearer = (await world.tokens(first, own.consoleAppId)).access_token;
      let id: string;
      if (how === 'POST /admin/users') {
        const body = { email: newAddress(), display_name: 'New', app_id: own.consoleAppId };
        id = (await world.call<{ id: string }>('POST', '/admin/users', body, { token: bearer })).body.id;
      } else {
        ({ id } = await visible(own));
        const body = { app_id: own.consoleAppId, roles: ['user'] };
        for (let time = 0; time < 2; time++)
          expect((await world.call('PUT', `/admin/users/${id}/roles`, body, { token: bearer })).status).toBe(200);
      }
      expect((await audited(own, 'tenant.admin_added')).filter(({ user_id }) => user_id === id)).toHaveLength(1);
      expect((await mailing.smtp.next(first.email, NEW_ADMIN)).text).toContain('administrator');
      await quietOutbox(world);
      expect(newsTo(first.email)).toHaveLength(1);
      const gone = await world.call('DELETE', `/admin/users/${id}/apps/${own.consoleAppId}`, undefined, {
        token: bearer,
      });
      expect(gone.status).toBe(200);
      expect((await audited(own, 'tenant.admin_removed')).map(({ user_id }) => user_id)).toEqual([id]);
    },
  );

  it('changes nothing and sends no mail if the user is an admin already', async () => {
    const own = await world.tenant();
    const other = await world.tenantAdmin(own);
    const user = await world.user();
    const first = await add({ email: user.email }, own, world.admin.token);
    const again = await add({ user_id: user.id }, own, world.admin.token);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await audited(own, 'tenant.admin_added')).filter(({ user_id }) => user_id === user.id)).toHaveLength(1);
    await quietOutbox(world);
    expect(newsTo(other.email)).toHaveLength(1);
    expect(mailing.smtp.to(user.email).filter(({ subject }) => subject === MADE_ADMIN)).toHaveLength(1);
  });

  it('returns 409 for a suspended admin and does not reactivate them', async () => {
    const user = await world.tenantAdmin(tenant);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: tenant.consoleAppId });
    for (const body of [{ user_id: user.id }, { email: user.email }]) {
      const answer = await add(body);
      expect([answer.status, answer.body]).toEqual([409, { detail: 'Enrollment is not active' }]);
    }
    expect((await list()).body.find(({ user_id }) => user_id === user.id)?.status).toBe('suspended');
  });

  // security 32, 80
  it('invites an unverified email address, and an account with it gets no rights', async () => {
    const open = await world.app(await world.tenant(), { registration_policy: 'open' });
    const unverified = await signUpUser(world, open);
    const unknown = newAddress();
    const bodies = [];
    for (const email of [unverified.email, unknown]) {
      const answer = await add({ email });
      expect(answer.status).toBe(201);
      bodies.push({ ...answer.body, email: '', created_at: '' });
    }
    // The response does not reveal whether an account exists.
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]).toEqual({ user_id: null, email: '', display_name: null, status: 'invited', created_at: '' });
    expect(await enrolled(unverified.id)).toEqual([]);
    expect((await world.login(unverified, tenant.consoleAppId)).status).toBe(403);
    const mail = await mailing.smtp.next(unknown, 'You are invited');
    const joined = await acceptNew(world, { id: tenant.consoleAppId }, codeIn(mail), { email: unknown });
    expect(joined.status).toBe(200);
    const seen = (await list()).body.find(({ email }) => email === unknown)!;
    expect(seen.status).toBe('active');
    expect(await enrolled(seen.user_id!)).toEqual([{ roles: ['user', 'admin'], status: 'active' }]);
    // The mails about the invitation and its acceptance can arrive in any order.
    const told = () => newsTo(admin.email).filter(({ text }) => text!.includes(unknown));
    await eventually('the other admins are told of the invitation', () =>
      told().some(({ text }) => text!.includes('once they accept the invitation')),
    );
    const [entry] = (await audited(tenant, 'tenant.admin_added')).slice(-1);
    expect(entry).toMatchObject({ user_id: null, metadata: { email: unknown, by: 'invite' } });
  });

  it('tells fifty admins at most of an invitation, oldest account first', async () => {
    const own = await world.tenant();
    const oldest = await world.tenantAdmin(own);
    await world.sql(
      `WITH added AS (
         INSERT INTO users (id, email, email_canonical, display_name, email_verified)
         SELECT gen_random_uuid(), n || $2, n || $2, 'Ada', true FROM generate_series(1, 55) n RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user,admin}', 'active' FROM added`,
      [own.consoleAppId, `-${unique()}@example.com`],
    );
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [oldest.id]);
    await add({ email: newAddress() }, own, world.admin.token);
    await quietOutbox(world);
    const sent = await world.sql("SELECT user_id FROM mail_log WHERE template = 'new-admin' AND tenant_id = $1", [
      own.id,
    ]);
    expect(sent).toHaveLength(50);
    expect(sent).toContainEqual({ user_id: oldest.id });
  });

  it('adds or invites the admin_email of a new tenant', async () => {
    const [known, unknown] = [await world.user(), newAddress()];
    const created = await world.asAdmin<{ id: string; console_app_id: string; user_count: number }>(
      'POST',
      '/admin/tenants',
      { name: `With admin ${unique()}`, admin_email: known.email },
    );
    expect(created.user_count).toBe(1);
    expect((await world.login(known, created.console_app_id)).status).toBe(200);
    const invited = await world.asAdmin<{ console_app_id: string }>('POST', '/admin/tenants', {
      name: `With guest ${unique()}`,
      admin_email: unknown,
    });
    const code = codeIn(await mailing.smtp.next(unknown, 'You are invited'));
    expect((await acceptNew(world, { id: invited.console_app_id }, code, { email: unknown })).status).toBe(200);
    await quietOutbox(world);
    const before = await databaseFingerprint(world);
    for (const admin_email of ['nobody', '', null, 7, {}]) {
      const body = { name: 'Refused', admin_email };
      const answer = await world.call('POST', '/admin/tenants', body, { token: world.admin.token });
      expect([admin_email, answer.status]).toEqual([admin_email, 422]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('returns 422 for a body with neither, both or invalid identifiers', async () => {
    const user = await world.user();
    const before = await databaseFingerprint(world);
    for (const [body, field] of [
      [{}, 'email'],
      [{ email: user.email, user_id: user.id }, 'user_id'],
      [{ email: null }, 'email'],
      [{ email: [user.email] }, 'email'],
      [{ email: `${user.email}, other@example.com` }, 'email'],
      [{ user_id: null }, 'user_id'],
      [{ user_id: '' }, 'user_id'],
      [{ user_id: [user.id] }, 'user_id'],
      [{ user_id: { $ne: null } }, 'user_id'],
    ] as const) {
      const answer = await add(body);
      expect([body, answer.status, answer.body.detail]).toEqual([
        body,
        422,
        [expect.objectContaining({ loc: ['body', field] })],
      ]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  // security 76
  it('returns 404 for a user outside the tenant, as for an unknown id', async () => {
    const stranger = await world.user(await world.app(await world.tenant()));
    for (const user_id of [stranger.id, ABSENT]) {
      const answer = await add({ user_id });
      expect([answer.status, answer.body]).toEqual([404, { detail: 'User not found' }]);
    }
    expect((await add({ user_id: stranger.id }, tenant, world.admin.token)).status).toBe(201);
  });

  it('removes an admin with their rights and Console tokens, and nothing else', async () => {
    const own = await world.tenant();
    const app = await world.app(own);
    const user = await world.user(app);
    await add({ user_id: user.id }, own, world.admin.token);
    const tokens = await world.tokens(user, own.consoleAppId);
    const elsewhere = await world.tokens(user, app.id);
    const answer = await remove(user.id, own, world.admin.token);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect((await list(own, tokens.access_token)).status).toBe(401);
    expect((await world.login(user, own.consoleAppId)).status).toBe(403);
    const refresh = (refresh_token: string, app_id: string) =>
      world.call('POST', '/token/refresh', { refresh_token, app_id });
    expect((await refresh(tokens.refresh_token, own.consoleAppId)).status).toBe(401);
    expect((await refresh(elsewhere.refresh_token, app.id)).status).toBe(200);
    expect(await audited(own, 'tenant.admin_removed')).toMatchObject([{ user_id: user.id, actor_id: world.admin.id }]);
    // After they are added again, they have to sign in again.
    await add({ user_id: user.id }, own, world.admin.token);
    expect((await refresh(tokens.refresh_token, own.consoleAppId)).status).toBe(401);
    expect((await world.login(user, own.consoleAppId)).status).toBe(200);
  });

  // security 81
  it('returns 400 for the caller’s own removal and 404 for a user who is not an admin', async () => {
    for (const [id, bearer] of [
      [admin.id, token],
      [world.admin.id, world.admin.token],
    ] as const) {
      const answer = await remove(id, tenant, bearer);
      expect([answer.status, answer.body]).toEqual([400, { detail: 'You cannot remove yourself' }]);
    }
    for (const id of [ABSENT, (await visible(tenant)).id]) {
      const answer = await remove(id);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Enrollment not found' }]);
    }
    expect(await enrolled(admin.id)).toHaveLength(1);
  });

  // security 81
  it.each([
    ['', remove],
    [
      ' by their enrollments',
      (userId: string, of: TestTenant, bearer: string) =>
        world.call('DELETE', `/admin/users/${userId}/apps/${of.consoleAppId}`, undefined, { token: bearer }),
    ],
  ] as const)('keeps one admin if two admins remove each other%s at the same time', async (_, removeBy) => {
    for (let round = 0; round < 6; round++) {
      const own = await world.tenant();
      const pair = [await world.tenantAdmin(own), await world.tenantAdmin(own)] as const;
      const tokens = await Promise.all(pair.map((each) => world.tokens(each, own.consoleAppId)));
      const answers = await Promise.all([
        removeBy(pair[1].id, own, tokens[0]!.access_token),
        removeBy(pair[0].id, own, tokens[1]!.access_token),
      ]);
      const left = (await list(own, world.admin.token)).body;
      expect([round, left.length]).toEqual([round, 1]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status } of answers.filter((each) => each.status !== 200)) expect([401, 403]).toContain(status);
    }
  });

  it('returns 404 for an unknown tenant to platform admins, and 403 to others', async () => {
    const absent = { ...tenant, id: ABSENT };
    for (const answer of [
      await list(absent, world.admin.token),
      await add({ email: 'a@example.com' }, absent, world.admin.token),
      await remove(admin.id, absent, world.admin.token),
    ])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Tenant not found' }]);
    const other = await world.tenant();
    for (const target of [absent, other])
      for (const answer of [
        await list(target),
        await add({ email: 'a@example.com' }, target),
        await remove(admin.id, target),
      ])
        expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
  });

  it('lists admins in pages, newest first, with five fields each', async () => {
    const own = await world.tenant();
    const users = [];
    for (let made = 0; made < 3; made++) users.unshift(await world.tenantAdmin(own));
    const first = await world.call<AdminBody[]>('GET', `${pathOf(own)}?limit=2`, undefined, {
      token: world.admin.token,
    });
    expect(first.body.map(({ user_id }) => user_id)).toEqual([users[0]!.id, users[1]!.id]);
    expect(first.headers.get('x-total-count')).toBe('3');
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
    const second = await world.call<AdminBody[]>('GET', next, undefined, { token: world.admin.token });
    expect(second.body.map(({ user_id }) => user_id)).toEqual([users[2]!.id]);
    expect(second.headers.get('link')).toBeNull();
    expect(Object.keys(first.body[0]!).sort()).toEqual(['created_at', 'display_name', 'email', 'status', 'user_id']);
  });
});
