import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { acceptAlone, bearer, newInvite } from '../../support/invites.js';
import { isBlocking } from '../../support/row-locks.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const FIREFOX = { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0' };

describe('Sessions and devices on the account page', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    [app, other] = [await world.app(tenant, { name: 'Sky Notes' }), await world.app(tenant, { name: 'Sea Charts' })];
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const member = async () => {
    const user = await world.user(app);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: other.id, roles: ['user'] });
    return user;
  };
  const refresh = async ({ refresh_token }: Tokens, appId = app.id) =>
    world.call<Tokens & { detail?: string }>('POST', '/token/refresh', { refresh_token, app_id: appId });
  /** A browser that has signed in to the app, and the app's tokens. */
  const enter = async (user: TestUser, client = app, browser = new HostedBrowser(world.baseUrl)) => {
    const end = await browser.signIn(loginPath(client), user.email, user.password);
    const code = end.delivered.get('code');
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: client.id });
    return { browser, tokens: body };
  };
  const paths = ({ body }: HostedAnswer) =>
    [...body.matchAll(/action="(\/account\/(?:sessions|apps)\/[0-9a-f-]{36}\/end)"/g)].map((match) => match[1]!);
  const revocations = (user: TestUser) =>
    world.sql<{ target_type: string; metadata: Record<string, unknown>; actor_id: string }>(
      `SELECT target_type, metadata, actor_id FROM audit_entries
       WHERE user_id = $1 AND action = 'session.revoked' ORDER BY created_at`,
      [user.id],
    );

  describe('in the audit log', () => {
    interface ShownEntry {
      readonly actor: { readonly type: string; readonly id: string; readonly email: string };
      readonly target: { readonly type: string; readonly id: string };
      readonly ip_address: string;
    }
    const created = (user: TestUser) =>
      world.asAdmin<ShownEntry[]>('GET', `/admin/audit?action=session.created&user_id=${user.id}`);

    it('are recorded when they begin, as done by the user, and not among the user’s own sign-ins', async () => {
      const user = await member();
      const { browser } = await enter(user);
      const [session] = await world.sql<{ id: string }>('SELECT id FROM sso_sessions WHERE user_id = $1', [user.id]);
      expect(await created(user)).toMatchObject([
        {
          outcome: 'success',
          actor: { type: 'user', id: user.id, email: user.email },
          user_id: user.id,
          target: { type: 'sso_session', id: session!.id },
          ip_address: '127.0.0.1',
        },
      ]);
      const words = wordsOf(await browser.get('/account/activity'));
      expect(words.match(/You signed in to/g)).toHaveLength(1);
      expect(words).not.toMatch(/a session|session\.created/);
    });

    it('are recorded once while the same user signs in again in the browser', async () => {
      const user = await member();
      const { browser } = await enter(user);
      await enter(user, other, browser);
      await browser.signIn(`${loginPath(app)}&prompt=login`, user.email, user.password);
      const passwords = { current_password: user.password, new_password: 'an entirely new secret' };
      expect((await sendForm(browser, '/account/password', passwords)).location).toMatch(/^\/account\?done=/);
      expect(await created(user)).toHaveLength(1);
    });

    it.each([
      [
        'was not used for a day',
        `UPDATE sso_sessions SET last_seen_at = now() - interval '25 hours' WHERE user_id = $1`,
      ],
      ['ended with all others', 'UPDATE users SET tokens_valid_from = now() WHERE id = $1'],
    ])('are recorded when the user signs in again in a browser whose session %s', async (_, sql) => {
      const user = await member();
      const { browser } = await enter(user);
      await world.sql(sql, [user.id]);
      await browser.signIn(loginPath(app), user.email, user.password);
      expect(await created(user)).toHaveLength(2);
    });

    it('go on, without an entry, in a browser that missed the cookie of its last sign-in', async () => {
      const user = await member();
      const { browser } = await enter(user);
      const missed = new HostedBrowser(world.baseUrl);
      missed.setCookie('sso', browser.cookie('sso')!);
      await browser.signIn(`${loginPath(app)}&prompt=login`, user.email, user.password);
      await world.sql("UPDATE sso_sessions SET ended_at = ended_at - interval '2 minutes' WHERE user_id = $1", [
        user.id,
      ]);
      await missed.signIn(loginPath(app), user.email, user.password);
      const live =
        'SELECT count(DISTINCT coalesce(sid, id))::int AS sids, count(*) FILTER (WHERE ended_at IS NULL)::int AS live';
      expect(await world.sql(`${live} FROM sso_sessions WHERE user_id = $1`, [user.id])).toEqual([
        { sids: 1, live: 1 },
      ]);
      expect(await created(user)).toHaveLength(1);
    });

    it('are recorded for another user of the browser, and for another browser of the user', async () => {
      const [user, next] = [await member(), await member()];
      const { browser } = await enter(user);
      const login = { email: next.email, password: next.password, app_id: app.id };
      await world.call('POST', '/auth/login', login, { headers: { Cookie: browser.cookieHeader() } });
      await enter(next);
      expect([await created(user), await created(next)].map(({ length }) => length)).toEqual([1, 2]);
    });
  });

  it('lists each session with its browser, address, time and apps', async () => {
    const user = await member();
    await world.call(
      'POST',
      '/auth/login',
      { email: user.email, password: user.password, app_id: app.id },
      { headers: FIREFOX },
    );
    const { browser } = await enter(user);
    await enter(user, other, browser);
    const page = await browser.get('/account');
    const words = wordsOf(page);
    expect(words).toContain('Firefox on Windows Signed in to Sky Notes');
    expect(words).toMatch(/This browser Signed in to (Sea Charts, Sky Notes|Sky Notes, Sea Charts)/);
    expect(words).toMatch(/127\.0\.0\.1 · signed in just now · last used just now/);
    expect(page.body).toMatch(/<time datetime="\d{4}-[^"]+Z" title="[A-Z][a-z]{2}, [^"]+ GMT">just now<\/time>/);
    expect(paths(page)).toHaveLength(1);
  });

  it('"Sign out there" ends that browser’s session and refresh tokens at once, and no others', async () => {
    const user = await member();
    const [here, there] = [await enter(user), await enter(user)];
    const second = (await enter(user, other, there.browser)).tokens;
    const page = await here.browser.get('/account');
    const [path] = paths(page);
    const pending = (await there.browser.get(loginPath(app))).delivered.get('code');
    const answer = await sendForm(here.browser, path!);
    expect([answer.status, answer.location]).toEqual([303, '/account?done=signed-out-there']);
    expect(wordsOf(await here.browser.get(answer.location!))).toContain('You’re signed out there.');
    expect((await there.browser.get('/account')).status).toBe(302);
    expect((await there.browser.get(loginPath(app))).status).toBe(200);
    expect((await refresh(there.tokens)).status).toBe(401);
    expect((await refresh(second, other.id)).status).toBe(401);
    expect((await world.call('POST', '/token/exchange', { code: pending, app_id: app.id })).status).toBe(400);
    // The signed-out device used its ended refresh token: that must not end other sessions' tokens.
    const mine = await refresh(here.tokens);
    expect(mine.status).toBe(200);
    expect((await here.browser.get('/account')).status).toBe(200);
    expect(await revocations(user)).toEqual([
      {
        target_type: 'sso_session',
        actor_id: user.id,
        metadata: { reason: 'signed_out_remotely', refresh_families: 2 },
      },
    ]);
    expect((await sendForm(here.browser, path!)).status).toBe(404);
  });

  it('ends one app’s session on a device without a browser', async () => {
    const user = await member();
    const phone = await world.tokens(user, app.id, { device_id: 'pixel-8' });
    const tablet = await world.tokens(user, app.id, { device_id: 'tab-s9' });
    await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1', [user.id]);
    const browser = await visitAccount(world, user);
    const page = await browser.get('/account');
    expect(wordsOf(page)).toContain('Sky Notes On the device pixel-8');
    const row = page.body.indexOf('pixel-8');
    const path = /action="(\/account\/apps\/[^"]+)"/.exec(page.body.slice(row))![1]!;
    expect((await sendForm(browser, path)).status).toBe(303);
    expect([(await refresh(phone)).status, (await refresh(tablet)).status]).toEqual([401, 200]);
    expect(await revocations(user)).toMatchObject([
      { target_type: 'refresh_family', metadata: { reason: 'signed_out_remotely' } },
    ]);
  });

  it('"Sign out everywhere else" keeps this browser and the apps signed in from it', async () => {
    const user = await member();
    const here = await enter(user);
    const others = [await enter(user), await enter(user)];
    const phone = await world.tokens(user, app.id, { device_id: 'pixel-8' });
    const answer = await sendForm(here.browser, '/account/sessions/end-others');
    expect([answer.status, answer.location]).toEqual([303, '/account?done=signed-out-elsewhere']);
    for (const { browser, tokens } of others) {
      expect((await browser.get('/account')).status).toBe(302);
      expect((await refresh(tokens)).status).toBe(401);
    }
    expect((await refresh(phone)).status).toBe(401);
    expect((await refresh(here.tokens)).status).toBe(200);
    expect(wordsOf(await here.browser.get('/account'))).toContain('You aren’t signed in anywhere else.');
    expect(await revocations(user)).toMatchObject([
      { metadata: { reason: 'signed_out_everywhere_else', sso_sessions: 3, refresh_families: 3 } },
    ]);
    await sendForm(here.browser, '/account/sessions/end-others');
    expect(await revocations(user)).toHaveLength(1);
  });

  it('end others only after a recent sign-in: a stolen cookie cannot end sign-ins and reset links of its owner', async () => {
    const user = await member();
    const thief = await enter(user);
    await ageSignIns(world, user.id, 301);
    const owner = await enter(user);
    const phone = await world.tokens(user, app.id, { device_id: 'pixel-8' });
    const versions = () => world.sql('SELECT credentials_version FROM users WHERE id = $1', [user.id]);
    const before = await versions();
    const page = await thief.browser.get('/account');
    const shown = [...page.body.matchAll(/action="(\/account\/(?:sessions|apps)\/[^"]+)"/g)].map(([, path]) => path!);
    expect(shown).toEqual(expect.arrayContaining(['/account/sessions/end-others']));
    expect(shown).toHaveLength(3);
    for (const path of shown) {
      const { status, location } = await thief.browser.post(path, { form_token: page.formToken() });
      expect([path, status, location]).toEqual([path, 303, expect.stringContaining('/account/sign-in?')]);
    }
    expect((await owner.browser.get('/account')).status).toBe(200);
    expect([(await refresh(owner.tokens)).status, (await refresh(phone)).status]).toEqual([200, 200]);
    expect(await revocations(user)).toEqual([]);
    expect(await versions()).toEqual(before);
    expect((await sendForm(owner.browser, '/account/sessions/end-others')).status).toBe(303);
    expect((await thief.browser.get('/account')).status).toBe(302);
  });

  // Resource servers that check tokens by our keys go on for their minutes (decision 22); we ourselves ask.
  describe('access tokens of a sign-in that has ended open nothing here any more:', () => {
    const ENDINGS: Record<string, (user: TestUser, tokens: Tokens) => Promise<unknown>> = {
      'by “Sign out everywhere else”': async (user) =>
        sendForm(await visitAccount(world, user), '/account/sessions/end-others'),
      'at the account page': async (user) => {
        const browser = await visitAccount(world, user);
        for (const path of paths(await browser.get('/account'))) await sendForm(browser, path);
      },
      'by /token/revoke': (_, { refresh_token }) => world.call('POST', '/token/revoke', { refresh_token }),
      'by the replay of a refresh token': async (_, tokens) => {
        await refresh(tokens);
        await refresh(tokens);
      },
      'after its 90 days': ({ id }) =>
        world.sql('UPDATE refresh_families SET expires_at = now() WHERE user_id = $1', [id]),
    };

    it.each(Object.keys(ENDINGS))('%s', async (name) => {
      const invited = await world.app(await world.tenant());
      const user = await member();
      const tokens = await world.tokens(user, app.id);
      const ask = async () => {
        const by = { token: tokens.access_token };
        const device = { app_id: app.id, platform: 'ios', push_token: 'f'.repeat(64) };
        return [
          (await world.call('GET', '/userinfo', undefined, by)).status,
          (await world.call('PUT', '/admin/me/password', { current_password: 'x', new_password: 'y' }, by)).status,
          (await world.call('POST', '/push/devices/register', device, by)).status,
        ];
      };
      expect(await ask()).not.toContain(401);
      await ENDINGS[name]!(user, tokens);
      expect(await ask()).toEqual([401, 401, 401]);
      const { code } = await newInvite(world, invited);
      const accept = { app_id: invited.id, invite_code: code, email: user.email };
      const by = { token: tokens.access_token };
      expect((await world.call('POST', '/auth/accept-invite', accept, by)).status).toBe(401);
    });
  });

  describe('a sign-in that went on from another one, by an invite, ends with its browser:', () => {
    const ENDINGS: Record<string, (here: HostedBrowser, user: TestUser) => Promise<unknown>> = {
      'signed out from elsewhere': async (_, user) => {
        const browser = await visitAccount(world, user);
        for (const path of paths(await browser.get('/account')))
          if (path.includes('/sessions/')) await sendForm(browser, path);
      },
      'signed out at the account page': (here) => sendForm(here, '/account/sign-out'),
      // The session goes on under its name, with another time.
      'signed in again and signed out': async (here, { email, password }) => {
        await here.signIn(`${loginPath(app)}&prompt=login`, email, password);
        await sendForm(here, '/account/sign-out');
      },
      'signed in as another user': async (here) => {
        const { email, password } = await member();
        const headers = { Cookie: here.cookieHeader() };
        await world.call('POST', '/auth/login', { email, password, app_id: app.id }, { headers });
      },
    };

    it.each(
      Object.keys(ENDINGS).flatMap((ending) => [
        [ending, 'session'],
        [ending, 'token'],
      ]),
    )('%s; shown was its %s', async (ending, shown) => {
      const user = await member();
      const { browser, tokens } = await enter(user);
      const joined = await world.app(tenant);
      const { code } = await newInvite(world, joined);
      const proof = shown === 'token' ? bearer(tokens.access_token) : { Cookie: browser.cookieHeader() };
      const { body, status } = await acceptAlone(world, joined, code, {}, proof);
      expect(status).toBe(200);
      await ENDINGS[ending]!(browser, user);
      expect((await refresh(body, joined.id)).status).toBe(401);
      expect((await refresh(tokens)).status).toBe(401);
    });

    it('and none begins any more on a sign-in that is ended at this moment', async () => {
      const user = await member();
      const login = await world.login(user, app.id);
      const joined = await world.app(tenant);
      const { code } = await newInvite(world, joined);
      const blocker = new Client({ connectionString: service.settings.databaseUrl! });
      await blocker.connect();
      try {
        await blocker.query('BEGIN');
        await blocker.query('UPDATE refresh_families SET revoked_at = now() WHERE user_id = $1', [user.id]);
        const accepting = acceptAlone(world, joined, code, {}, bearer(login.body.access_token));
        await eventually('it waits for the end of the sign-in', () => isBlocking(blocker));
        await blocker.query('COMMIT');
        expect((await accepting).status).toBe(401);
      } finally {
        await blocker.end();
      }
    });
  });

  // security 76
  it('returns 404 for the sessions of another user and does not end them', async () => {
    const [user, other] = [await member(), await member()];
    const theirs = await enter(other);
    const browser = await visitAccount(world, user);
    const [session] = await world.sql<{ id: string }>('SELECT id FROM sso_sessions WHERE user_id = $1', [other.id]);
    const [family] = await world.sql<{ id: string }>('SELECT id FROM refresh_families WHERE user_id = $1', [other.id]);
    const answers = [];
    for (const id of [session!.id, randomUUID()]) answers.push(await sendForm(browser, `/account/sessions/${id}/end`));
    for (const id of [family!.id, randomUUID()]) answers.push(await sendForm(browser, `/account/apps/${id}/end`));
    for (const answer of answers)
      expect([answer.status, wordsOf(answer).includes('Page not found')]).toEqual([404, true]);
    expect((await theirs.browser.get('/account')).status).toBe(200);
    expect((await refresh(theirs.tokens)).status).toBe(200);
    expect(await revocations(other)).toEqual([]);
    expect((await sendForm(browser, '/account/sessions/nonsense/end')).status).toBe(422);
  });

  it('hides sessions that a new password has ended', async () => {
    const user = await member();
    await enter(user);
    await world.sql('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [user.id]);
    const browser = await visitAccount(world, user);
    expect(paths(await browser.get('/account'))).toEqual([]);
    const detail = await world.asAdmin<{ sessions: unknown[] }>('GET', `/admin/users/${user.id}/detail`);
    expect(detail.sessions).toHaveLength(1);
  });
});
