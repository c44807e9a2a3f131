import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { type Authority, NO_AUTHORITY } from '../../../src/common/actor.js';
import type { RequestContext } from '../../../src/common/request-context.js';
import { ChangeEffects } from '../../../src/previews/effects/change-effects.js';
import { PreviewLimiter } from '../../../src/previews/proposals/preview-limiter.js';
import { eventually } from '../../support/wait.js';
import { writeDownNow } from '../../support/comparisons.js';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { hangUpBeforeAnswer } from '../../support/hang-up.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { FAKE_GOOGLE } from '../../support/fake-google.js';
import { passkeySettings } from '../../support/passkeys.js';
import { enrolDirectly, selfRegisteredApp } from '../../support/self-registered-app.js';
import { startTestApp } from '../../support/test-app.js';
import { standing } from '../../support/form-fields.js';
import type { HostedAnswer } from '../../support/hosted-page.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

interface Preview {
  readonly members: number;
  readonly locks_you_out: boolean;
  readonly effects: {
    readonly effect: string;
    readonly count: number;
    readonly users: Record<string, string | null>[];
  }[];
}

/** Columns of the file, as far as they do not differ from run to run. */
const FILE_HEAD = 'effect,rule,app_id,app,user_id,email,display_name,method_before,method_after';

const PATIENCE_MS = 15_000;

/** Asks for a file and takes nothing of it. */
function readSlowly(address: string, token: string, body: object): Promise<{ status: number; end: () => void }> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return new Promise((done, fail) => {
    const asked = request(address, { method: 'POST', headers, agent: false, timeout: PATIENCE_MS });
    let isAnswered = false;
    asked.on('timeout', () => void (isAnswered || asked.destroy(new Error('No answer'))));
    asked.on('error', fail).on('response', (response) => {
      isAnswered = true;
      response.on('error', () => undefined);
      response.pause();
      done({ status: response.statusCode!, end: () => response.destroy() });
    });
    asked.end(JSON.stringify(body));
  });
}

describe('Preview of changed settings', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let ada: TestUser;
  let grace: TestUser;
  let token: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open({ providers: FAKE_GOOGLE, ...(await passkeySettings()) });
    token = (await fixture.world.tokens(fixture.tenantAdmin, fixture.tenant.consoleAppId)).access_token;
    app = await fixture.world.app(fixture.tenant);
    ada = await fixture.world.user(app, { email_verified: true });
    grace = await fixture.world.user(app, { email_verified: false, display_name: 'Grace Hopper' });
    await fixture.world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [grace.id]);
  });

  afterAll(() => fixture.close());

  const preview = (path: string, body: object, query = 'preview=true') =>
    fixture.world.call<Preview>('POST', `${path}?${query}`, body, { token });

  it('names who is affected, how and by which rule, and writes nothing', async () => {
    const before = await databaseFingerprint(fixture.world);
    const answer = await preview(`/admin/apps/${app.id}`, { config: { require_2fa: true } });
    expect(answer.status).toBe(200);
    const named = (user: TestUser, name: string, method: string) => ({
      user_id: user.id,
      email: user.email,
      display_name: name,
      app_id: app.id,
      app: expect.stringContaining('App '),
      rule: 'second_factor_set_up',
      method_before: method,
      method_after: method,
    });
    expect(answer.body).toEqual({
      members: 2,
      locks_you_out: false,
      locks_admins_out: false,
      ends_direct_sign_in: false,
      // Grace has one, and is asked for it already.
      effects: [{ effect: 'set_up_second_factor', count: 1, users: [named(ada, 'Ada Lovelace', 'password')] }],
      past: { days: 30, sign_ins: 0, would_differ: 0, rules: [] },
    });
    expect(await databaseFingerprint(fixture.world)).toEqual(before);
  });

  it.each([
    ['an unknown provider', { config: { allowed_providers: ['carrier_pigeon'] } }, 422],
    ['a field of another type', { config: { require_2fa: 'yes' } }, 422],
    ['what the caller must not change', { bundle_id: 'console.mine' }, 403],
  ])('refuses %s as the update does', async (_, body, status) => {
    const saved = await fixture.world.call('PUT', `/admin/apps/${app.id}`, body, { token });
    const previewed = await preview(`/admin/apps/${app.id}`, body);
    expect([previewed.status, previewed.body]).toEqual([status, saved.body]);
    expect(saved.status).toBe(status);
  });

  it('must be asked for', async () => {
    expect((await preview(`/admin/apps/${app.id}`, { name: 'Other' }, '')).status).toBe(422);
    expect((await preview(`/admin/apps/${app.id}`, { name: 'Other' }, 'preview=false')).status).toBe(422);
  });

  const placeIn = (tenantId: string, appId: string | null = null) => ({ tenantId, appId });
  const contextOf = (actor: RequestContext['actor']): RequestContext => {
    return { requestId: 'r', ip: null, userAgent: null, actor };
  };
  const someone = (authority: Partial<Authority>, userId: string = randomUUID(), viaApp: string | null = null) =>
    contextOf({
      type: 'user',
      userId,
      email: 'a@example.com',
      audience: '',
      viaApp,
      authority: { ...NO_AUTHORITY, ...authority },
    });
  const adminOf = (tenantId: string, userId?: string, viaApp?: string) =>
    someone({ tenants: new Set([tenantId]) }, userId, viaApp);

  it('is judged one at a time for each caller, for two of a tenant and for few at once', async () => {
    const { world, tenant } = fixture;
    const change = { config: { require_2fa: true } };
    const path = `/admin/apps/${app.id}`;
    const places = fixture.service.nest.get(PreviewLimiter, { strict: false });
    const leave = await places.acquire(adminOf(tenant.id, fixture.tenantAdmin.id), placeIn(tenant.id));
    const own = await preview(path, change);
    expect([own.status, own.body]).toEqual([429, { detail: 'Your last preview is still in progress' }]);
    leave();
    // An app that holds a token of theirs has its own place, and not theirs.
    const leaveApp = await places.acquire(adminOf(tenant.id, fixture.tenantAdmin.id, app.id), placeIn(tenant.id));
    expect((await preview(path, change)).status).toBe(200);
    leaveApp();
    const ofTenant = [
      await places.acquire(adminOf(tenant.id), placeIn(tenant.id)),
      await places.acquire(adminOf(tenant.id), placeIn(tenant.id)),
    ];
    const crowded = await preview(path, change);
    expect([crowded.status, crowded.body]).toEqual([503, { detail: 'Too many previews are in progress' }]);
    const other = await world.tenant();
    const others = await places.acquire(adminOf(other.id), placeIn(other.id));
    const third = await world.tenant();
    await expect(places.acquire(adminOf(third.id), placeIn(third.id))).rejects.toThrow(
      'Too many previews are in progress',
    );
    // The platform has its own place.
    const asPlatform = () => world.call('POST', `${path}?preview=true`, change, { token: world.admin.token });
    expect((await asPlatform()).status).toBe(200);
    for (const each of ofTenant) each();
    for (const format of ['json', 'csv', 'json'])
      expect((await preview(path, change, `preview=true&format=${format}`)).status).toBe(200);
    // A refusal gives the place back.
    expect((await preview(path, { bundle_id: 'console.mine' }, 'preview=true&format=csv')).status).toBe(403);
    for (const format of ['json', 'csv'])
      expect((await preview(path, change, `preview=true&format=${format}`)).status).toBe(200);
    others();
  });

  it('leaves a place to the admins of a tenant, whatever admins and servers of its apps do', async () => {
    const places = fixture.service.nest.get(PreviewLimiter, { strict: false });
    const tenantId = randomUUID();
    const place = placeIn(tenantId);
    const [one, another] = [randomUUID(), randomUUID()];
    const ofApp = (id: string) => someone({ appsAdministered: new Set([id]) });
    const server = contextOf({ type: 'service', appId: another, tenantId, scopes: new Set() });
    const held = [await places.acquire(ofApp(one), place)];
    for (const each of [ofApp(one), ofApp(another), server])
      await expect(places.acquire(each, place)).rejects.toThrow('Too many previews are in progress');
    held.push(await places.acquire(adminOf(tenantId), place));
    for (const leave of held) leave();
  });

  it('is judged in the place of the app that it is about, also for an admin of other apps', async () => {
    const places = fixture.service.nest.get(PreviewLimiter, { strict: false });
    const [older, own] = [randomUUID(), randomUUID()].sort() as [string, string];
    const [tenantId, foreign] = [randomUUID(), randomUUID()];
    const held = [await places.acquire(someone({ appsAdministered: new Set([older]) }), placeIn(foreign, older))];
    // The older app's admins can make the admin of another app an admin of theirs.
    const both = someone({ appsAdministered: new Set([older, own]) });
    held.push(await places.acquire(both, placeIn(tenantId, own)));
    for (const leave of held) leave();
  });

  it('has places for files that are read slowly: they keep no one else waiting', async () => {
    const { world } = fixture;
    const tenant = await world.tenant();
    const crowd = await world.app(tenant);
    await world.sql(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, created_at)
         SELECT gen_random_uuid(), 'slow-' || i || '@example.com', 'slow-' || i || '@example.com', repeat('x', 10000), now() - i * interval '1 minute'
         FROM generate_series(1, 2000) AS i RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user}', 'active' FROM made`,
      [crowd.id],
    );
    const tokens: string[] = [];
    for (let count = 0; count < 4; count++)
      tokens.push((await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token);
    const change = { config: { require_verified_email: true } };
    const path = `/admin/apps/${crowd.id}?preview=true`;
    const slowly = (token: string) => readSlowly(`${world.baseUrl}${path}&format=csv`, token, change);
    const held: Awaited<ReturnType<typeof slowly>>[] = [];
    try {
      for (const each of tokens.slice(0, 3)) held.push(await slowly(each));
      const again = await slowly(tokens[0]!);
      const fourth = await slowly(tokens[3]!);
      expect([...held, again, fourth].map(({ status }) => status)).toEqual([200, 200, 200, 429, 503]);
      // Their own previews, and files of others.
      for (const each of tokens) expect((await world.call('POST', path, change, { token: each })).status).toBe(200);
      expect((await preview(`/admin/apps/${app.id}`, change, 'preview=true&format=csv')).status).toBe(200);
    } finally {
      for (const each of held) each.end();
    }
    await eventually('the next file', async () => {
      const next = await slowly(tokens[0]!);
      next.end();
      return next.status === 200;
    });
    await world.sql(`DELETE FROM users WHERE email LIKE 'slow-%'`);
  });

  it('ends as a file when its reader loses the authority with which it began', async () => {
    const { world } = fixture;
    const own = await world.tenant();
    const shop = await world.app(own);
    const reader = await world.tenantAdmin(own);
    const by = { token: (await world.tokens(reader, own.consoleAppId)).access_token };
    const effects = fixture.service.nest.get(ChangeEffects, { strict: false });
    const walk = effects.walk.bind(effects);
    /** @param meanwhile happens before the first members are judged */
    const download = async (meanwhile: () => Promise<unknown>) => {
      effects.walk = async function* (...asked) {
        await meanwhile();
        yield* walk(...asked);
      };
      try {
        const change = { config: { require_2fa: true } };
        return await world.call('POST', `/admin/apps/${shop.id}?preview=true&format=csv`, change, by).then(
          ({ status }) => status,
          () => 'cut off',
        );
      } finally {
        effects.walk = walk;
      }
    };
    expect(await download(() => Promise.resolve())).toBe(200);
    const remove = () => world.asAdmin('DELETE', `/admin/tenants/${own.id}/admins/${reader.id}`);
    expect(await download(remove)).toBe('cut off');
  });

  it('gives its place back where the client of a file hung up before the first line', async () => {
    const change = { config: { require_2fa: true } };
    const path = `/admin/apps/${app.id}?preview=true&format=csv`;
    const asked = { method: 'POST', path, token, body: change } as const;
    await hangUpBeforeAnswer(fixture.service, fixture.database.url, asked);
    await eventually('the next preview', async () => {
      const { status } = await preview(`/admin/apps/${app.id}`, change, 'preview=true&format=csv');
      return status === 200;
    });
  });

  it('looks at no users if the change does not concern sign-in', async () => {
    const { body } = await preview(`/admin/apps/${app.id}`, { name: 'Other', config: { redirect_uris: [] } });
    expect(body).toEqual({
      members: 0,
      locks_you_out: false,
      locks_admins_out: false,
      ends_direct_sign_in: false,
      effects: [],
      past: { days: 30, sign_ins: 0, would_differ: 0, rules: [] },
    });
  });

  it('names who keeps a role that the app no longer offers', async () => {
    const shop = await fixture.world.app(await fixture.world.tenant(), {
      config: { available_roles: ['user', 'editor', 'reader'] },
    });
    const editor = await fixture.world.user(shop);
    await fixture.world.user(shop);
    await fixture.world.asAdmin('PUT', `/admin/users/${editor.id}/roles`, { app_id: shop.id, roles: ['editor'] });
    const asPlatform = (change: object) =>
      fixture.world.call<Preview>('POST', `/admin/apps/${shop.id}?preview=true`, change, {
        token: fixture.world.admin.token,
      });
    const { body } = await asPlatform({ config: { available_roles: ['user', 'reader'] } });
    expect(
      body.effects.map(({ effect, users }) => [effect, users.map((each) => [each['user_id'], each['rule']])]),
    ).toEqual([['role_withdrawn', [[editor.id, 'role_offered']]]]);
    const more = await asPlatform({
      config: { available_roles: ['user', 'editor', 'reader', 'owner'] },
    });
    expect(more.body).toMatchObject({ members: 0, effects: [] });
  });

  it('tells that sign-in by JSON ends where users are asked for their consent', async () => {
    const shop = await fixture.world.app(fixture.tenant);
    const { body } = await preview(`/admin/apps/${shop.id}`, { config: { third_party: true } });
    expect(body).toMatchObject({ members: 0, ends_direct_sign_in: true, effects: [] });
  });

  it('of a tenant covers its apps, its Console included, and tells callers who lock themselves out', async () => {
    const { body } = await preview(`/admin/tenants/${fixture.tenant.id}`, { require_2fa: true });
    // The admin enters two Consoles: the tenant's own, and the platform's.
    expect([body.members, body.locks_you_out]).toEqual([4, false]);
    expect(body.effects.map(({ effect, count }) => [effect, count])).toEqual([['set_up_second_factor', 3]]);
    const console = await preview(`/admin/apps/${fixture.tenant.consoleAppId}`, {
      config: { allowed_providers: ['passkey'] },
    });
    expect([console.status, console.body.locks_you_out]).toEqual([200, true]);
    expect(console.body.effects.map(({ effect, users }) => [effect, users.map((each) => each['rule'])])).toEqual([
      ['shut_out', ['method_allowed']],
    ]);
  });

  it('of a Console app knows what other tenants demand of their administrators, and tells the platform alone', async () => {
    const strict = await fixture.world.tenant({ require_2fa: true });
    const both = await fixture.world.user({ id: fixture.tenant.consoleAppId }, { display_name: 'Two tenants' });
    await enrolDirectly(fixture.world, { id: strict.consoleAppId }, both);
    const change = { config: { require_2fa: true } };
    const affected = async (by: string) => {
      const path = `/admin/apps/${fixture.tenant.consoleAppId}?preview=true`;
      const { body } = await fixture.world.call<Preview>('POST', path, change, { token: by });
      return body.effects.flatMap(({ users }) => users.map((each) => each['user_id']));
    };
    const { id } = fixture.tenantAdmin;
    // They set one up already now, whichever console they enter.
    expect(await affected(fixture.world.admin.token)).toEqual([id, id]);
    expect(await affected(token)).toEqual([id, both.id, id, both.id]);
    await fixture.world.sql('DELETE FROM enrollments WHERE user_id = $1', [both.id]);
  });

  it('does not tell administrators the model of a passkey that was not used there', async () => {
    const [own, other] = ['adce0002-35bc-c60a-648b-0b25f1f05503', '08987058-cadc-4b81-b6e1-30de50dcbe96'];
    const tenant = await fixture.world.tenant();
    const admin = await fixture.world.tenantAdmin(tenant);
    const shop = await fixture.world.app(tenant);
    const member = await fixture.world.user(shop);
    await fixture.world.sql(
      `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
       VALUES (gen_random_uuid(), $1, 'localhost', '\\x01', '\\x00', 0, $2, '{}', false, false)`,
      [member.id, own],
    );
    const by = (await fixture.world.tokens(admin, tenant.consoleAppId)).access_token;
    const effectWith = async (model: string, caller: string) => {
      const change = { require_2fa: true, passkey_aaguids: [model] };
      const path = `/admin/tenants/${tenant.id}?preview=true`;
      const { body } = await fixture.world.call<Preview>('POST', path, change, { token: caller });
      return body.effects.find(({ users }) => users.some((each) => each['user_id'] === member.id))?.effect;
    };
    const effects = async (caller: string) => [await effectWith(own!, caller), await effectWith(other!, caller)];
    expect(await effects(fixture.world.admin.token)).toEqual(['second_factor', 'set_up_second_factor']);
    expect(await effects(by)).toEqual(['set_up_second_factor', 'set_up_second_factor']);
    // It is theirs to know once it is used at their app.
    await fixture.world.tokens(member, shop.id);
    await fixture.world.sql(`UPDATE refresh_families SET amr = '{pwd,hwk,mfa}' WHERE user_id = $1`, [member.id]);
    expect(await effects(by)).toEqual(['second_factor', 'set_up_second_factor']);
  });

  it('tells administrators nothing of linked accounts and passkeys that a member has not used there', async () => {
    const shop = await fixture.world.app(fixture.tenant);
    const [linked, plain] = [await fixture.world.user(shop), await fixture.world.user(shop)];
    await fixture.world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'google', 'g')`,
      [linked.id],
    );
    const change = { config: { allowed_providers: ['google'] } };
    const byAdmin = await preview(`/admin/apps/${shop.id}`, change);
    expect(
      byAdmin.body.effects.map(({ effect, users }) => [effect, users.map((each) => each['user_id']).sort()]),
    ).toEqual([['shut_out', [linked.id, plain.id].sort()]]);
    const byPlatform = await fixture.world.call<Preview>('POST', `/admin/apps/${shop.id}?preview=true`, change, {
      token: fixture.world.admin.token,
    });
    expect(byPlatform.body.effects.map(({ effect, users }) => [effect, users.map((each) => each['user_id'])])).toEqual([
      ['shut_out', [plain.id]],
      ['other_method', [linked.id]],
    ]);
  });

  it('says how many sign-ins of the last 30 days would have gone another way', async () => {
    const shop = await fixture.world.app(await fixture.world.tenant());
    const member = await fixture.world.user(shop);
    await fixture.world.tokens(member, shop.id);
    await fixture.world.tokens(member, shop.id);
    const past = (amr: string[], days: number) =>
      fixture.world.sql(
        `INSERT INTO audit_entries (id, action, actor_type, actor_id, user_id, tenant_id, app_id, metadata, created_at)
         VALUES (gen_random_uuid(), 'user.login', 'user', $1::text, $1::uuid, $2, $3, $4, now() - make_interval(days => $5))`,
        [member.id, shop.tenantId, shop.id, { via: 'hosted', amr }, days],
      );
    await past(['email'], 29);
    await past(['pwd'], 31);
    const { body } = await fixture.world.call<Preview & { past: object }>(
      'POST',
      `/admin/apps/${shop.id}?preview=true`,
      { config: { allowed_providers: ['magic_link'] } },
      { token: fixture.world.admin.token },
    );
    expect(body.past).toEqual({
      days: 30,
      sign_ins: 3,
      would_differ: 2,
      rules: [{ rule: 'method_allowed', count: 2 }],
    });
    const refused = await fixture.world.call(
      'PUT',
      `/admin/apps/${shop.id}`,
      {
        config: { allowed_providers: ['magic_link'] },
      },
      { token: fixture.world.admin.token },
    );
    expect(refused.status).toBe(200);
    await expect(fixture.world.tokens(member, shop.id)).rejects.toThrow();
  });

  it('of a provider that the installation loses covers every app that offers it', async () => {
    const shop = await fixture.world.app(await fixture.world.tenant(), { config: { allowed_providers: ['google'] } });
    const other = await fixture.world.app(await fixture.world.tenant(), {
      config: { allowed_providers: ['google', 'magic_link'] },
    });
    const linked = await fixture.world.user(shop);
    await fixture.world.user(shop);
    await fixture.world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')`,
      [linked.id, other.id],
    );
    await fixture.world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'google', $2)`,
      [linked.id, linked.id],
    );
    const ofProvider = (name: string, by = fixture.world.admin.token) =>
      fixture.world.call<Preview>('POST', `/admin/providers/${name}?preview=true`, { state: 'off' }, { token: by });
    const { body } = await ofProvider('google');
    const ofThese = body.effects.map(({ effect, users }) => [
      effect,
      users.filter((each) => each['user_id'] === linked.id).map((each) => each['app_id']),
    ]);
    expect(ofThese).toEqual([
      ['shut_out', [shop.id]],
      ['other_method', [other.id]],
    ]);
    expect((await ofProvider('github')).body).toEqual({ detail: 'Unknown provider' });
    expect((await ofProvider('google', token)).status).toBe(403);
  });

  it('names fifty, and all in the file, whose download is audited', async () => {
    const crowd = await fixture.world.app(fixture.tenant);
    await fixture.world.sql(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, created_at)
         SELECT gen_random_uuid(), 'crowd-' || i || '@example.com', 'crowd-' || i || '@example.com', '=Crowd ' || i, now() - i * interval '1 hour'
         FROM generate_series(1, 60) AS i RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user}', 'active' FROM made`,
      [crowd.id],
    );
    const change = { config: { require_verified_email: true } };
    const { body } = await preview(`/admin/apps/${crowd.id}`, change);
    expect(body.effects.map(({ effect, count, users }) => [effect, count, users.length])).toEqual([
      ['verify_email', 60, 50],
    ]);
    expect(body.effects[0]!.users[0]!['email']).toBe('crowd-60@example.com');
    const file = await fixture.world.call<string>('POST', `/admin/apps/${crowd.id}?preview=true&format=csv`, change, {
      token,
    });
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = file.body.trimEnd().split('\r\n');
    expect([lines[0]!.replaceAll('"', ''), lines.length]).toEqual([FILE_HEAD, 61]);
    const [entry] = await fixture.world.sql<{ app_id: string; metadata: object }>(
      `SELECT app_id, metadata FROM audit_entries WHERE action = 'user_list.exported' ORDER BY ordinal DESC LIMIT 1`,
    );
    expect(entry).toEqual({ app_id: crowd.id, metadata: { format: 'csv', of: 'preview' } });
  });

  describe('of more members than a request can judge', () => {
    const CROWD = 10_001;
    let crowd: TestClient;
    const change = { config: { require_verified_email: true } };

    beforeAll(async () => {
      crowd = await fixture.world.app(await fixture.world.tenant(), { name: 'Crowd' });
      await fixture.world.sql(
        `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, created_at)
           SELECT gen_random_uuid(), 'mass-' || i || '@example.com', 'mass-' || i || '@example.com', 'Mass ' || i, now() - i * interval '1 minute'
           FROM generate_series(1, $2::int) AS i RETURNING id)
         INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user}', 'active' FROM made`,
        [crowd.id, CROWD],
      );
    });

    interface Followed {
      readonly status: string;
      readonly done: number;
      readonly total: number;
      readonly result: Preview | null;
    }

    it('is a task of its own, which only its starter can follow', async () => {
      const by = { token: fixture.world.admin.token };
      const path = `/admin/apps/${crowd.id}?preview=true`;
      const begun = await fixture.world.call<{ task_id: string }>('POST', path, change, by);
      const follow = `/admin/previews/${begun.body.task_id}`;
      expect([begun.status, begun.headers.get('location')]).toEqual([202, follow]);
      // Tasks of an app take turns with others of its tenant, whoever starts them.
      const queued = `SELECT group_key FROM outbox_messages WHERE payload ->> 'task' = $1`;
      const group_key = `${crowd.tenantId}/${crowd.id}`;
      expect(await fixture.world.sql(queued, [begun.body.task_id])).toContainEqual({ group_key });
      const done = await eventually('the task ends', async () => {
        const { body } = await fixture.world.call<Followed>('GET', follow, undefined, by);
        return body.status === 'done' && body;
      });
      expect([done.done, done.total, done.result!.members]).toEqual([CROWD, CROWD, CROWD]);
      expect(done.result!.effects.map(({ effect, count, users }) => [effect, count, users.length])).toEqual([
        ['verify_email', CROWD, 50],
      ]);
      expect(done.result!.effects[0]!.users[0]).toMatchObject({ email: `mass-${CROWD}@example.com`, app: 'Crowd' });
      expect((await fixture.world.call('GET', follow, undefined, { token })).status).toBe(404);
    });

    it('can only be followed with a token of the app with whose token it was started', async () => {
      const admin = await fixture.world.user(crowd, { roles: ['user', 'admin'] });
      const other = await fixture.world.app({ id: crowd.tenantId } as TestTenant);
      const rights = { app_id: other.id, roles: ['user', 'admin'] };
      await fixture.world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, rights);
      const [own, elsewhere] = [
        await fixture.world.tokens(admin, crowd.id),
        await fixture.world.tokens(admin, other.id),
      ];
      const console = await fixture.world.tokens(admin, fixture.world.platformConsoleId);
      const follow = async (task: string, by: { readonly access_token: string }) =>
        (await fixture.world.call('GET', `/admin/previews/${task}`, undefined, { token: by.access_token })).status;
      const begin = async (by: { readonly access_token: string }) => {
        const path = `/admin/apps/${crowd.id}?preview=true`;
        const { body } = await fixture.world.call<{ task_id: string }>('POST', path, change, {
          token: by.access_token,
        });
        return body.task_id;
      };
      const begun = await begin(own);
      expect([await follow(begun, own), await follow(begun, elsewhere), await follow(begun, console)]).toEqual([
        200, 404, 404,
      ]);
      const planned = await begin(console);
      expect([await follow(planned, console), await follow(planned, own)]).toEqual([200, 404]);
      await fixture.world.sql('DELETE FROM users WHERE id = $1', [admin.id]);
    });

    it('is shown only while its starter has the authority, and the knowledge, with which it was started', async () => {
      const other = await fixture.world.app({ id: crowd.tenantId } as TestTenant);
      const start = async (isPlatformAdmin: boolean) => {
        const admin = await fixture.world.user(crowd, { roles: ['user', 'admin'] });
        const rights = { app_id: other.id, roles: ['user', 'admin'] };
        await fixture.world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, rights);
        await fixture.world.sql('UPDATE users SET is_platform_admin = $2 WHERE id = $1', [admin.id, isPlatformAdmin]);
        const { access_token } = await fixture.world.tokens(admin, fixture.world.platformConsoleId);
        const by = { token: access_token };
        const path = `/admin/apps/${crowd.id}?preview=true`;
        const { body } = await fixture.world.call<{ task_id: string }>('POST', path, change, by);
        const follow = () => fixture.world.call<Followed>('GET', `/admin/previews/${body.task_id}`, undefined, by);
        await eventually('the task ends', async () => (await follow()).body.status === 'done');
        const browser = await visitConsole(fixture.world, admin);
        const shown = async () => [
          (await follow()).status,
          (await browser.get(`/console/tasks/${body.task_id}`)).status,
        ];
        expect(await shown()).toEqual([200, 200]);
        return { admin, shown };
      };
      const member = await start(false);
      const demotion = { app_id: crowd.id, roles: ['user'] };
      await fixture.world.asAdmin('PUT', `/admin/users/${member.admin.id}/roles`, demotion);
      expect(await member.shown()).toEqual([404, 404]);
      const formerPlatformAdmin = await start(true);
      const demote = 'UPDATE users SET is_platform_admin = false WHERE id = $1';
      await fixture.world.sql(demote, [formerPlatformAdmin.admin.id]);
      expect(await formerPlatformAdmin.shown()).toEqual([404, 404]);
      for (const { admin } of [member, formerPlatformAdmin])
        await fixture.world.sql('DELETE FROM users WHERE id = $1', [admin.id]);
    });

    it('of an act on more memberships than that asks for fewer users', async () => {
      const clients = [];
      for (let count = 0; count < 2; count++) {
        const client = await selfRegisteredApp(fixture.world, { id: crowd.tenantId } as TestTenant);
        await fixture.world.sql(
          `INSERT INTO enrollments (user_id, app_id, roles, status)
           SELECT user_id, $2, '{user}', 'active' FROM enrollments WHERE app_id = $1 ORDER BY user_id LIMIT 5000`,
          [crowd.id, client.id],
        );
        clients.push(client.id);
      }
      const members = await fixture.world.sql<{ user_id: string }>(
        'SELECT user_id FROM enrollments WHERE app_id = $1 ORDER BY user_id LIMIT 5000',
        [clients[0]],
      );
      const remove = (count: number) =>
        fixture.world.call<Preview>(
          'POST',
          `/admin/apps/${crowd.id}/members?preview=true`,
          { act: 'remove', user_ids: members.slice(0, count).map(({ user_id }) => user_id) },
          { token: fixture.world.admin.token },
        );
      const refused = await remove(5_000);
      expect([refused.status, refused.body]).toEqual([
        422,
        { detail: 'These users have too many memberships for one preview. Send fewer users' },
      ]);
      expect((await remove(1_000)).body.effects.map(({ effect, count }) => [effect, count])).toEqual([
        ['shut_out', 3_000],
      ]);
    });

    it('is refused while several of one operator are in progress, and those of an app with their token count apart', async () => {
      const waiting = await fixture.world.sql<{ id: string }>(
        `INSERT INTO operator_tasks (id, kind, status, started_by, amr, request_id, details, total, expires_at)
         SELECT gen_random_uuid(), 'change_preview', 'queued', $1, '{pwd}', 'r', $2, 0, now() + interval '1 day'
         FROM generate_series(1, 3) RETURNING id`,
        [fixture.world.admin.id, { viaApp: app.id }],
      );
      const by = { token: fixture.world.admin.token };
      const ask = () => fixture.world.call('POST', `/admin/apps/${crowd.id}?preview=true`, change, by);
      expect((await ask()).status).toBe(202);
      await fixture.world.sql(`UPDATE operator_tasks SET details = '{}' WHERE id = ANY ($1)`, [
        waiting.map(({ id }) => id),
      ]);
      const answer = await ask();
      expect([answer.status, answer.body]).toEqual([429, { detail: 'Your last previews are still in progress' }]);
      await fixture.world.sql('DELETE FROM operator_tasks WHERE id = ANY ($1)', [waiting.map(({ id }) => id)]);
    });

    it('waits in the console as a task, and is saved from its page', async () => {
      const root = await visitConsole(fixture.world, fixture.world.admin);
      const tab = `/console/apps/${crowd.id}/sign-in`;
      const begun = await fixture.fill(tab, { require_verified_email: 'on' }, root);
      expect(begun.location).toMatch(/^\/console\/tasks\//);
      const shown = await eventually('the task shows its result', async () => {
        const page = await root.get(begun.location!);
        return contentWords(page).includes('10,001 users must verify their e-mail address first') && page;
      });
      const fields = standing(shown, tab);
      // Another change than the one that was judged takes a task of its own.
      const other = await root.post(tab, { ...fields, require_2fa: 'on' });
      expect(other.location).toMatch(/^\/console\/tasks\//);
      expect((await fixture.shown(crowd)).config['require_verified_email']).toBe(false);
      const saved = await root.post(tab, fields);
      expect([saved.location, (await fixture.shown(crowd)).config['require_verified_email']]).toEqual([tab, true]);
      const [entry] = await fixture.world.sql<{ metadata: Record<string, unknown> }>(
        `SELECT metadata FROM audit_entries WHERE action = 'app.updated' AND app_id = $1 ORDER BY ordinal DESC LIMIT 1`,
        [crowd.id],
      );
      expect(entry!.metadata['prediction']).toEqual({ verify_email: CROWD });
      const PATIENT = { within: 60_000 };
      const noneLeft = (text: string) => async () => (await fixture.world.sql(text)).length === 0;
      const running = 'SELECT 1 FROM operator_tasks WHERE finished_at IS NULL';
      await eventually('the other task ends', noneLeft(running), PATIENT);
      const unwritten = 'SELECT 1 FROM change_comparisons WHERE found IS NULL AND changed_again_at IS NULL';
      await writeDownNow(fixture.world, fixture.service);
      await eventually('the users of the change are written down', noneLeft(unwritten), PATIENT);
      const [compared] = await fixture.world.sql(`SELECT prediction FROM change_comparisons WHERE app_id = $1`, [
        crowd.id,
      ]);
      expect(compared).toEqual({ prediction: { verify_email: CROWD } });
    });
  });

  describe('of an act on users', () => {
    interface ActPreview {
      readonly users: number;
      readonly effects: Preview['effects'];
      readonly ended_sign_ins: number;
      readonly leaves_no_admin: boolean;
      readonly refused: { readonly user_id: string; readonly detail: string }[];
    }
    const act = (appId: string, body: object, by = token) =>
      fixture.world.call<ActPreview>('POST', `/admin/apps/${appId}/members?preview=true`, body, { token: by });
    const named = ({ effects }: ActPreview) =>
      effects.map(({ effect, users }) => [effect, users.map((each) => [each['user_id'], each['rule']])]);

    it('names who can no longer sign in, which sign-ins end and whom it refuses, and writes nothing', async () => {
      const shop = await fixture.world.app(fixture.tenant);
      const [member, away, stranger] = [
        await fixture.world.user(shop),
        await fixture.world.user(shop),
        await fixture.world.user(),
      ];
      await fixture.world.asAdmin('POST', `/admin/users/${away.id}/suspend`, { app_id: shop.id });
      await fixture.world.tokens(member, shop.id);
      const before = await databaseFingerprint(fixture.world);
      const user_ids = [member.id, away.id, stranger.id];
      const suspended = await act(shop.id, { act: 'suspend', user_ids });
      expect([suspended.status, named(suspended.body)]).toEqual([200, [['shut_out', [[member.id, 'not_suspended']]]]]);
      expect(suspended.body).toMatchObject({
        users: 1,
        ended_sign_ins: 1,
        leaves_no_admin: false,
        refused: [
          { user_id: away.id, detail: 'Enrollment is not active' },
          { user_id: stranger.id, detail: 'Enrollment not found' },
        ],
      });
      const back = await act(shop.id, { act: 'reactivate', user_ids });
      expect(named(back.body)).toEqual([['let_in', [[away.id, 'not_suspended']]]]);
      const removed = await act(shop.id, { act: 'remove', user_ids: [member.id] });
      expect(named(removed.body)).toEqual([['shut_out', [[member.id, 'enrolled']]]]);
      expect(await databaseFingerprint(fixture.world)).toEqual(before);
    });

    it('knows what an admin of a tenant loses, and that none would remain', async () => {
      const tenant = await fixture.world.tenant();
      const admin = await fixture.world.tenantAdmin(tenant);
      const remove = { act: 'remove', user_ids: [admin.id] };
      const last = await act(tenant.consoleAppId, remove, fixture.world.admin.token);
      expect([named(last.body), last.body.leaves_no_admin]).toEqual([
        [
          [
            'shut_out',
            [
              [admin.id, 'enrolled'],
              [admin.id, 'enrolled'],
            ],
          ],
        ],
        true,
      ]);
      await fixture.world.tenantAdmin(tenant);
      expect((await act(tenant.consoleAppId, remove, fixture.world.admin.token)).body.leaves_no_admin).toBe(false);
      // An app admin enters the platform Console, and is an ordinary member without the role.
      const shop = await fixture.world.app(tenant);
      const boss = await fixture.world.user(shop, { roles: ['admin'] });
      const roles = await act(shop.id, { act: 'set_roles', user_ids: [boss.id], roles: [] }, fixture.world.admin.token);
      expect(named(roles.body)).toEqual([['shut_out', [[boss.id, 'enrolled']]]]);
    });

    it('tells admins of an app of that app, admins of the tenant of its clients and Consoles, and the platform of all', async () => {
      const tenant = await fixture.world.tenant();
      const [shop, desk] = [await fixture.world.app(tenant), await fixture.world.app(tenant)];
      const client = await selfRegisteredApp(fixture.world, tenant);
      const [boss, member, manager] = [
        await fixture.world.user(shop, { roles: ['admin'] }),
        await fixture.world.user(shop),
        await fixture.world.user(shop, { roles: ['manager'] }),
      ];
      await enrolDirectly(fixture.world, client, member);
      const elsewhere = await fixture.world.tenantAdmin(await fixture.world.tenant());
      await enrolDirectly(fixture.world, shop, elsewhere);
      await fixture.world.sql(`UPDATE enrollments SET roles = '{user,manager}' WHERE user_id = $1 AND app_id = $2`, [
        elsewhere.id,
        shop.id,
      ]);
      const user_ids = [member.id, manager.id, elsewhere.id];
      const shutOut = async (by: string) => {
        const { body } = await act(shop.id, { act: 'remove', user_ids }, by);
        const { users } = body.effects.find(({ effect }) => effect === 'shut_out')!;
        return users.map((each) => [each['user_id'], each['app_id']]).sort();
      };
      const tokenOf = async (user: TestUser, at: { id: string }) =>
        (await fixture.world.tokens(user, at.id)).access_token;
      const here = user_ids.map((id) => [id, shop.id]);
      const atConsole = (id: string) => [id, fixture.world.platformConsoleId];
      expect(await shutOut(await tokenOf(boss, shop))).toEqual(here.sort());
      const admin = await fixture.world.tenantAdmin(tenant);
      const known = [...here, [member.id, client.id], atConsole(manager.id)];
      // That they still enter the platform's Console as the admin of another tenant is not for this one to know.
      expect(await shutOut(await tokenOf(admin, { id: tenant.consoleAppId }))).toEqual(
        [...known, atConsole(elsewhere.id)].sort(),
      );
      expect(await shutOut(fixture.world.admin.token)).toEqual(known.sort());
      await enrolDirectly(fixture.world, desk, member);
      expect(await shutOut(await tokenOf(boss, shop))).toEqual(here.sort());
    });

    it('is refused as the act is', async () => {
      const other = await fixture.world.tenant();
      expect((await act(other.consoleAppId, { act: 'remove', user_ids: [ada.id] })).status).toBe(403);
      expect((await act(app.id, { act: 'set_roles', user_ids: [ada.id], roles: ['emperor'] })).status).toBe(422);
      const own = await act(fixture.tenant.consoleAppId, { act: 'remove', user_ids: [fixture.tenantAdmin.id] });
      expect(own.body.refused).toEqual([{ user_id: fixture.tenantAdmin.id, detail: 'You cannot remove yourself' }]);
      const account = (id: string, by: string) =>
        fixture.world.call<ActPreview>(
          'POST',
          `/admin/users/${id}/acts?preview=true`,
          { act: 'delete' },
          { token: by },
        );
      expect((await account(ada.id, token)).status).toBe(403);
      expect((await account(fixture.world.admin.id, fixture.world.admin.token)).body).toEqual({
        detail: 'You cannot remove yourself',
      });
      const deleted = await account(ada.id, fixture.world.admin.token);
      expect(named(deleted.body)).toEqual([['shut_out', [[ada.id, 'enrolled']]]]);
    });
  });

  describe('with limits', () => {
    let limited: World;
    let stop: () => Promise<void>;

    beforeAll(async () => {
      const few = { points: 1, seconds: 900 };
      const overrides = { change_preview: { points: 3, seconds: 900 }, user_list_export: few };
      const service = await startTestApp({
        settings: {
          databaseUrl: fixture.database.url,
          rateLimits: { enabled: true, overrides },
          providers: FAKE_GOOGLE,
        },
      });
      limited = await World.open(service.baseUrl, fixture.database.url);
      stop = async () => {
        await limited.close();
        await service.close();
      };
    });

    afterAll(() => stop());

    it('counts the memberships of an act, however few its users are', async () => {
      const tenant = await limited.tenant();
      const shop = await limited.app(tenant);
      const [busy, plain] = [await limited.user(shop), await limited.user(shop)];
      const client = await selfRegisteredApp(limited, tenant);
      await limited.sql(
        `WITH made AS (INSERT INTO apps SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'bundle_id', a.bundle_id || i))).*
           FROM apps a, generate_series(1, 60) AS i WHERE a.id = $1 RETURNING id)
         INSERT INTO enrollments (user_id, app_id, roles, status) SELECT $2, id, '{user}', 'active' FROM made`,
        [client.id, busy.id],
      );
      const suspend = async (user: TestUser) => {
        const body = { act: 'suspend', user_ids: [user.id] };
        const path = `/admin/apps/${shop.id}/members?preview=true`;
        const answer = await limited.call<Preview>('POST', path, body, { token: limited.admin.token });
        return [answer.status, answer.body.effects?.[0]?.count];
      };
      for (let count = 0; count < 3; count++) expect(await suspend(busy)).toEqual([200, 61]);
      expect((await suspend(busy))[0]).toBe(429);
      expect(await suspend(plain)).toEqual([200, 1]);
    });

    it('counts its files as what they are: lists of users', async () => {
      const shop = await limited.app(await limited.tenant());
      const admin = await limited.user(shop, { roles: ['admin'] });
      const by = { token: (await limited.tokens(admin, shop.id)).access_token };
      const change = { config: { require_2fa: true } };
      const file = (format: string) =>
        limited.call('POST', `/admin/apps/${shop.id}?preview=true&format=${format}`, change, by);
      expect([(await file('csv')).status, (await file('csv')).status]).toEqual([200, 429]);
      const browser = await visitConsole(limited, admin);
      const list = async () => (await browser.get('/console/users/export', OWN_LINK)).status;
      expect([await list(), await list()]).toEqual([200, 429]);
      expect((await file('json')).status).toBe(200);
      const exported = async (users: boolean) =>
        (await limited.call('GET', `/admin/apps/${shop.id}/export?include_users=${users}`, undefined, by)).status;
      expect([await exported(true), await exported(false)]).toEqual([429, 200]);
    });
  });

  describe('in the console', () => {
    const path = () => `/console/apps/${app.id}/sign-in`;
    /** Sends the form of a review page as it stands there. */
    const send = (page: HostedAnswer, action: string, fields: Record<string, string> = {}) =>
      fixture.browser.post(action, { ...standing(page, action), ...fields });

    it('is shown before the form is saved, and saved with what was shown', async () => {
      const shown = await fixture.fill(path(), { require_2fa: 'on' });
      expect([shown.status, (await fixture.shown(app)).config['require_2fa']]).toEqual([200, false]);
      expect(contentWords(shown)).toContain('1 user must set up a second factor at the next sign-in');
      expect(contentWords(shown)).toContain(ada.email);
      const file = await send(shown, `${path()}/affected`, standing(shown, path()));
      expect([file.status, file.body.includes(ada.email), file.body.includes(grace.email)]).toEqual([200, true, false]);

      const saved = await send(shown, path());
      expect([saved.status, (await fixture.shown(app)).config['require_2fa']]).toEqual([303, true]);
      const [entry] = await fixture.world.sql<{ metadata: Record<string, unknown> }>(
        `SELECT metadata FROM audit_entries WHERE action = 'app.updated' AND app_id = $1 ORDER BY ordinal DESC LIMIT 1`,
        [app.id],
      );
      expect(entry!.metadata['prediction']).toEqual({ set_up_second_factor: 1 });
    });

    /** Their passkey was not used there, so admins of the app do not learn of it. */
    async function withSecretPasskey(credentialId: string): Promise<TestClient> {
      const shop = await fixture.world.app(fixture.tenant);
      const member = await fixture.world.user(shop);
      await fixture.world.sql(
        `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
         VALUES (gen_random_uuid(), $1, 'localhost', decode($2, 'hex'), '\\x00', 0, gen_random_uuid(), '{}', false, false)`,
        [member.id, credentialId],
      );
      return shop;
    }
    const compared = async (shop: TestClient) => {
      await writeDownNow(fixture.world, fixture.service);
      return eventually('the users of the change are written down', async () => {
        const [row] = await fixture.world.sql<{ prediction: unknown; found: unknown }>(
          'SELECT prediction, found FROM change_comparisons WHERE app_id = $1',
          [shop.id],
        );
        return row?.found ? row : null;
      });
    };
    const KNOWN_TO_ALL = { set_up_second_factor: 1 };

    it('tells a platform admin more than the entry of the change and its comparison, which admins of the tenant read', async () => {
      const shop = await withSecretPasskey('02');
      const platform = await visitConsole(fixture.world, fixture.world.admin);
      const tab = `/console/apps/${shop.id}/sign-in`;
      const shown = await fixture.fill(tab, { require_2fa: 'on' }, platform);
      expect(contentWords(shown)).toContain('1 user is asked for the second factor');
      expect((await platform.post(tab, standing(shown, tab))).status).toBe(303);
      const [entry] = await fixture.world.sql<{ prediction: unknown }>(
        `SELECT metadata->'prediction' AS prediction FROM audit_entries WHERE action = 'app.updated' AND app_id = $1`,
        [shop.id],
      );
      expect(entry!.prediction).toEqual(KNOWN_TO_ALL);
      expect(await compared(shop)).toEqual({ prediction: KNOWN_TO_ALL, found: KNOWN_TO_ALL });
    });

    it('is not needed for a comparison, which tells admins of the tenant nothing new about a change of the platform', async () => {
      const shop = await withSecretPasskey('03');
      await fixture.world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { require_2fa: true } });
      expect(await compared(shop)).toEqual({ prediction: KNOWN_TO_ALL, found: KNOWN_TO_ALL });
    });

    it('is shown again when the effect has changed meanwhile', async () => {
      const shown = await fixture.fill(path(), { require_verified_email: 'on' });
      expect(contentWords(shown)).toContain('1 user must verify the e-mail address first');
      await fixture.world.user(app, { email_verified: false });
      const again = await send(shown, path());
      expect([again.status, (await fixture.shown(app)).config['require_verified_email']]).toEqual([200, false]);
      expect(contentWords(again)).toContain('The effect has changed since you looked');
      expect((await send(again, path())).status).toBe(303);
    });

    it('asks once more before operators lock themselves out', async () => {
      const own = `/console/apps/${fixture.tenant.consoleAppId}/sign-in`;
      const shown = await fixture.fill(own, {
        provider_password: null,
        provider_magic_link: null,
        provider_passkey: 'on',
      });
      expect(contentWords(shown)).toContain('You are one of the users who can no longer sign in');
      const refused = await send(shown, own);
      expect([refused.status, contentWords(refused).includes('Confirm that you want to lock yourself out')]).toEqual([
        422,
        true,
      ]);
      expect((await send(refused, own, { lock_me_out: 'on' })).status).toBe(303);
      await fixture.world.asAdmin('PUT', `/admin/apps/${fixture.tenant.consoleAppId}`, {
        config: { allowed_providers: ['password', 'magic_link'] },
      });
    });

    it('asks once more before all administrators are locked out', async () => {
      const { world } = fixture;
      const [platform] = await world.sql<{ id: string }>(
        `SELECT a.id FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.is_console_app AND t.is_platform`,
      );
      const own = `/console/apps/${platform!.id}/sign-in`;
      const root = await visitConsole(world, world.admin);
      const shown = await fixture.fill(
        own,
        { provider_password: null, provider_magic_link: null, provider_passkey: 'on' },
        root,
      );
      expect(contentWords(shown)).toContain('No admin of the tenant can sign in');
      const refused = await root.post(own, standing(shown, own));
      expect([refused.status, contentWords(refused)]).toEqual([
        422,
        expect.stringContaining('Confirm that you want to lock all admins out'),
      ]);
      const [row] = await world.sql<{ had: string[] }>(
        `SELECT config -> 'allowed_providers' AS had FROM apps WHERE id = $1`,
        [platform!.id],
      );
      expect(row!.had).toContain('password');
    });

    it('asks once more also where the operator may know of no one who is affected', async () => {
      const { world } = fixture;
      // At the platform's Console, where admins of tenants know of no passkeys.
      const own = await world.tenant();
      const admin = await world.tenantAdmin(own);
      const browser = await visitConsole(world, admin);
      const [platform] = await world.sql<{ id: string }>(
        `SELECT a.id FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.is_console_app AND t.is_platform`,
      );
      const allow = async (providers: readonly string[]) => {
        await world.sql(`UPDATE apps SET config = jsonb_set(config, '{allowed_providers}', $2) WHERE id = ANY ($1)`, [
          [platform!.id, own.consoleAppId],
          JSON.stringify(providers),
        ]);
        await fixture.service.nest.get(AppDirectory, { strict: false }).catchUp();
      };
      await world.sql(
        `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
         VALUES (gen_random_uuid(), $1, 'localhost', decode('04', 'hex'), '\\x00', 0, gen_random_uuid(), '{}', false, false)`,
        [admin.id],
      );
      await world.sql(`UPDATE console_sessions SET amr = '{hwk,user,mfa}' WHERE user_id = $1`, [admin.id]);
      await allow(['passkey']);
      try {
        const form = `/console/tenants/${own.id}`;
        const page = await browser.get('/console/tenant');
        const fields = { ...standing(page, form), passkey_aaguids: '2fc0579f-8113-47ea-b116-bb5a8db9202a' };
        const shown = await browser.post(form, fields);
        expect(contentWords(shown)).not.toContain('can no longer sign in');
        expect(contentWords(shown)).toContain('No admin of the tenant can sign in');
      } finally {
        await allow(['password', 'magic_link']);
      }
    });

    it('is shown before an app is switched off, and saved with it', async () => {
      const shop = await fixture.world.app(fixture.tenant, { name: 'Shop' });
      const member = await fixture.world.user(shop, { email_verified: true });
      const off = `/console/apps/${shop.id}/danger/off`;
      const shown = await fixture.fill(off, { confirm_name: 'Shop' });
      expect([shown.status, (await fixture.shown(shop)).is_active]).toEqual([200, true]);
      expect(contentWords(shown)).toContain('1 user can no longer sign in');
      const file = await send(shown, `/console/apps/${shop.id}/danger/affected`, standing(shown, off));
      expect([file.status, file.body.includes(member.email)]).toEqual([200, true]);
      expect((await send(shown, off)).status).toBe(303);
      const [entry] = await fixture.world.sql<{ metadata: Record<string, unknown> }>(
        `SELECT metadata FROM audit_entries WHERE action = 'app.updated' AND app_id = $1 ORDER BY ordinal DESC LIMIT 1`,
        [shop.id],
      );
      expect(entry!.metadata['prediction']).toEqual({ shut_out: 1 });
    });

    it('is in the question before an act on members, and in the plan of a task', async () => {
      const shop = await fixture.world.app(fixture.tenant, { name: 'Bulk shop' });
      const members = [await fixture.world.user(shop), await fixture.world.user(shop)];
      const one = await fixture.browser.get(`/console/apps/${shop.id}/members/${members[0]!.id}/suspend`);
      expect(contentWords(one)).toContain('1 user can no longer sign in: Ada Lovelace');
      const list = `/console/apps/${shop.id}/members`;
      const form = standing(await fixture.browser.get(list), `${list}/bulk`);
      const picked = Object.fromEntries(members.map(({ id }) => [`pick:${id}`, 'on']));
      const few = await fixture.browser.post(`${list}/bulk`, { ...form, ...picked, act: 'remove' });
      expect(contentWords(few)).toContain('2 users can no longer sign in: Ada Lovelace, Ada Lovelace');
      const all = await fixture.browser.post(`${list}/bulk`, { ...form, act: 'suspend', whom: 'all' });
      const plan = await fixture.browser.get(all.location!);
      expect(contentWords(plan)).toContain('2 users can no longer sign in');
    });

    it('is shown before a role is taken that opens the console, and not before one is given', async () => {
      const shop = await fixture.world.app(fixture.tenant, { name: 'Role shop' });
      const boss = await fixture.world.user(shop, { roles: ['admin'] });
      const page = `/console/apps/${shop.id}/members/${boss.id}`;
      const form = standing(await fixture.browser.get(page), `${page}/roles`);
      const { role_admin: _, ...without } = form;
      const shown = await fixture.browser.post(`${page}/roles`, without);
      expect([shown.status, contentWords(shown).includes('1 user can no longer sign in')]).toEqual([200, true]);
      const saved = await send(shown, `${page}/roles`);
      const [now] = await fixture.world.sql('SELECT roles FROM enrollments WHERE user_id = $1', [boss.id]);
      expect([saved.status, now]).toEqual([303, { roles: ['user'] }]);
      expect((await fixture.browser.post(`${page}/roles`, form)).status).toBe(303);
    });

    it('of a tenant is shown before its settings are saved', async () => {
      const settings = `/console/tenants/${fixture.tenant.id}`;
      const page = await fixture.browser.get('/console/tenant');
      const shown = await fixture.browser.post(settings, { ...standing(page, settings), require_2fa: 'on' });
      expect([shown.status, contentWords(shown).includes('must set up a second factor')]).toEqual([200, true]);
      const file = await send(shown, `${settings}/affected`, standing(shown, settings));
      expect([file.status, file.body.includes(fixture.tenantAdmin.email)]).toEqual([200, true]);
      expect((await send(shown, settings)).status).toBe(303);
      const [tenant] = await fixture.world.sql('SELECT require_2fa FROM tenants WHERE id = $1', [fixture.tenant.id]);
      expect(tenant).toEqual({ require_2fa: true });
    });
  });
});
