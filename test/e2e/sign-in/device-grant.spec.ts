import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { decodeJwt } from 'jose';
import { sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { deviceRequest } from '../../../src/auth/hosted-sign-in/authorization-request/authorization-request.js';
import { MailLinksService } from '../../../src/auth/email-links/mail-links.service.js';
import { Transactions } from '../../../src/database/transactions.js';
import { UsersService } from '../../../src/users/users.service.js';
import { codeAt } from '../../support/authenticator.js';
import {
  allowDevice,
  askForDevice,
  beginDevice,
  DEVICE_CODE_GRANT,
  type DeviceAnswer,
  deviceApp,
  pollDevice,
  PROGRAM,
  reachApproval,
  typeCode,
} from '../../support/device-grant.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { newUsers } from '../../support/new-user.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { enroll } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { testSettings } from '../../support/test-settings.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

/** As by default. A right code counts as well until it is found, so it is more than type one at once in a test. */
const GUESSES = 10;

describe('Device grant (RFC 8628)', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    const { rateLimits } = testSettings();
    const overrides = { ...rateLimits.overrides, device_code_failures: { points: GUESSES, seconds: 900 } };
    service = await startTestApp({ settings: { trustProxy: 1, rateLimits: { ...rateLimits, overrides } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await deviceApp(world, tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const browser = () => new HostedBrowser(world.baseUrl);
  const poll = (device: DeviceAnswer, client: TestClient = app) =>
    pollDevice(world.baseUrl, client, device.device_code);
  const errorOf = async (device: DeviceAnswer, client?: TestClient) => {
    const { status, body } = await poll(device, client);
    return [status, body.error];
  };
  /** As if the last poll had been so many seconds ago. */
  const wait = (device: DeviceAnswer, seconds: number) =>
    world.sql(
      `UPDATE device_authorizations SET polled_at = polled_at - make_interval(secs => $2)
       WHERE device_code_hash = sha256(convert_to($1, 'UTF8'))`,
      [device.device_code, seconds],
    );
  const expire = (device: DeviceAnswer) =>
    world.sql(
      `UPDATE device_authorizations SET expires_at = clock_timestamp() WHERE device_code_hash = sha256(convert_to($1, 'UTF8'))`,
      [device.device_code],
    );
  const entries = async (user: TestUser, action: string) =>
    (
      await world.sql<{ metadata: Record<string, unknown> }>(
        'SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = $2',
        [user.id, action],
      )
    ).map(({ metadata }) => metadata);

  /** Signs the device out on the account page. */
  const endDevice = async (visitor: HostedBrowser) => {
    const { body } = await visitor.get('/account');
    const row = body.split('<li').find((each) => each.includes(PROGRAM)) ?? '';
    const [, path] = /action="(\/account\/sessions\/[^"]+\/end)"/.exec(row) ?? [];
    await sendForm(visitor, path ?? '/no-row-of-the-device');
  };

  it.each(['openid-configuration', 'oauth-authorization-server'])('is published in %s', async (name) => {
    expect((await world.call('GET', `/.well-known/${name}`)).body).toMatchObject({
      device_authorization_endpoint: `${world.baseUrl}/auth/device-authorization`,
      grant_types_supported: expect.arrayContaining([DEVICE_CODE_GRANT]) as unknown,
    });
  });

  it('answers with codes, of which the user’s has no vowel and the database holds no plain text', async () => {
    const answer = await askForDevice(world.baseUrl, { client_id: app.id });
    const { device_code, user_code } = answer.body;
    expect([answer.status, answer.headers.get('cache-control'), answer.body]).toEqual([
      200,
      'no-store',
      {
        device_code: expect.stringMatching(/^[\w-]{43}$/) as unknown,
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/) as unknown,
        verification_uri: `${world.baseUrl}/device`,
        verification_uri_complete: `${world.baseUrl}/device?user_code=${user_code}`,
        expires_in: 900,
        interval: 5,
      },
    ]);
    const [row] = await world.sql<{ row: string; seconds: number }>(
      `SELECT d::text AS row, extract(epoch FROM expires_at - created_at)::int AS seconds
       FROM device_authorizations d WHERE device_code_hash = sha256(convert_to($1, 'UTF8'))`,
      [device_code],
    );
    expect(row!.seconds).toBe(900);
    for (const secret of [device_code, user_code, user_code.replace('-', '')]) expect(row!.row).not.toContain(secret);
  });

  it('gives no code where none of the scopes exists for a user (RFC 6749 section 5.2)', async () => {
    const asked = await askForDevice(world.baseUrl, { client_id: app.id, scope: 'nonsense push:send' });
    expect([asked.status, asked.body.error, asked.body.detail]).toEqual([
      400,
      'invalid_scope',
      'invalid_scope: nonsense push:send',
    ]);
  });

  it('signs the device in after the user has compared its code, seen who asks, and allowed it', async () => {
    const user = await world.user(app);
    const device = await beginDevice(world, app, { scope: 'openid email push:send' });
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    const { browser: visitor, page } = await reachApproval(world, user, device);
    expect(page.status).toBe(200);
    const [{ name }] = (await world.sql<{ name: string }>('SELECT name FROM apps WHERE id = $1', [app.id])) as [
      { name: string },
    ];
    for (const told of [device.user_code, name, 'Television', '127.0.0.0/24', 'just now', user.email])
      expect(wordsOf(page)).toContain(told);
    const end = await visitor.submit(page, { answer: 'allow' });
    expect([end.status, wordsOf(end)]).toEqual([200, expect.stringContaining('Go back to your device.')]);
    const answer = await poll(device);
    expect([answer.status, answer.headers.get('cache-control'), answer.body]).toEqual([
      200,
      'no-store',
      {
        access_token: expect.any(String) as unknown,
        refresh_token: expect.any(String) as unknown,
        id_token: expect.any(String) as unknown,
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'openid email',
      },
    ]);
    const access = decodeJwt(answer.body.access_token);
    expect(access).toMatchObject({
      sub: user.id,
      aud: app.id,
      client_id: app.id,
      scope: 'openid email',
      amr: ['pwd'],
    });
    expect(decodeJwt(answer.body.id_token!)).toMatchObject({ sub: user.id, email: user.email });
    expect(await errorOf(device)).toEqual([400, 'invalid_grant']);
    const refreshed = await postForm(`${world.baseUrl}/auth/token`, {
      grant_type: 'refresh_token',
      client_id: app.id,
      refresh_token: answer.body.refresh_token,
    });
    expect(refreshed.status).toBe(200);
    expect(await entries(user, 'user.login')).toEqual([{ via: 'device', amr: ['pwd'] }]);
    // The session of the browser, and that of the device.
    expect(await entries(user, 'session.created')).toHaveLength(2);
    expect(await entries(user, 'device.allowed')).toEqual([{ user_agent: 'Television', network: '127.0.0.0/24' }]);
  });

  it('takes a code in any spelling, and from the address with the code, which changes nothing by itself', async () => {
    const user = await world.user(app);
    for (const spell of [(code: string) => code.toLowerCase().replace('-', ''), (code: string) => ` ${code} `]) {
      const device = await beginDevice(world, app);
      expect((await typeCode(browser(), spell(device.user_code))).body).toContain('name="password"');
    }
    const device = await beginDevice(world, app);
    const visitor = await visitAccount(world, user);
    const { pathname, search } = new URL(device.verification_uri_complete);
    const filled = await visitor.get(pathname + search);
    expect([filled.status, filled.location]).toEqual([200, null]);
    expect(filled.body).toContain(`value="${device.user_code}"`);
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    // Who is signed in is still asked to compare.
    const page = await visitor.submit(filled, { user_code: device.user_code });
    expect(page.body).toContain('value="allow"');
    expect(await errorOf(device)).toEqual([400, 'slow_down']);
  });

  describe('when a device polls', () => {
    it('too early, makes the interval five seconds longer each time, by the clock of the database', async () => {
      const device = await beginDevice(world, app);
      const after = async (seconds: number) => {
        await wait(device, seconds);
        return (await errorOf(device))[1];
      };
      expect((await errorOf(device))[1]).toBe('authorization_pending');
      // Five seconds too early: a busy machine may add some.
      expect(await after(0)).toBe('slow_down'); // of 5
      expect(await after(5)).toBe('slow_down'); // of 10
      expect(await after(10)).toBe('slow_down'); // of 15
      expect(await after(20)).toBe('authorization_pending'); // of 20
      expect(await after(15)).toBe('slow_down'); // of 20
      expect(await after(25)).toBe('authorization_pending'); // of 25
    });

    it.each<[string, (device: DeviceAnswer, user: TestUser, client: TestClient) => Promise<unknown>, string]>([
      ['an expired code', (device) => expire(device), 'expired_token'],
      [
        'a code that expired after the user allowed it',
        async (device, user) => {
          await allowDevice(world, user, device);
          await expire(device);
        },
        'expired_token',
      ],
      [
        'after the user said no',
        async (device, user) => {
          const { browser: visitor, page } = await reachApproval(world, user, device);
          const end = await visitor.submit(page, { answer: 'deny' });
          expect([end.status, wordsOf(end)]).toEqual([200, expect.stringContaining('Sign-in denied')]);
          expect(await entries(user, 'device.denied')).toHaveLength(1);
          expect(await entries(user, 'user.login')).toEqual([]);
        },
        'access_denied',
      ],
      [
        'for a user who was suspended since',
        async (device, user, client) => {
          await allowDevice(world, user, device);
          await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: client.id });
        },
        'access_denied',
      ],
      [
        'for a user whose password was set since',
        async (device, user) => {
          await allowDevice(world, user, device);
          await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: 'another long sentence' });
        },
        'access_denied',
      ],
      [
        'for a session of the device that the user has ended since',
        async (device, user) => {
          await endDevice(await allowDevice(world, user, device));
        },
        'access_denied',
      ],
      [
        'at an app that has switched the grant off since',
        async (device, user, client) => {
          await allowDevice(world, user, device);
          await world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { device_grant: false } });
        },
        'unauthorized_client',
      ],
    ])('%s, gets no tokens', async (_, before, error) => {
      const client = await deviceApp(world, tenant);
      const user = await world.user(client);
      const device = await beginDevice(world, client);
      await before(device, user, client);
      expect(await errorOf(device, client)).toEqual([400, error]);
      expect(await world.sql('SELECT 1 FROM refresh_families WHERE user_id = $1', [user.id])).toEqual([]);
    });

    it('as another app, or with a code that does not exist, gets invalid_grant and changes nothing', async () => {
      const user = await world.user(app);
      const other = await deviceApp(world, tenant);
      const device = await beginDevice(world, app);
      expect(await errorOf(device, other)).toEqual([400, 'invalid_grant']);
      expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
      await allowDevice(world, user, device);
      expect(await errorOf(device, other)).toEqual([400, 'invalid_grant']);
      expect(await errorOf({ ...device, device_code: device.user_code })).toEqual([400, 'invalid_grant']);
      expect((await poll(device)).status).toBe(200);
    });

    it('without a code, gets invalid_request', async () => {
      const fields = { grant_type: DEVICE_CODE_GRANT, client_id: app.id };
      const answer = await postForm(`${world.baseUrl}/auth/token`, fields);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      const json = await postJson(`${world.baseUrl}/auth/token`, fields);
      expect([json.status, json.body.error]).toEqual([422, 'invalid_request']);
    });
  });

  describe('knows its clients', () => {
    let confidential: TestClient;

    beforeAll(async () => {
      confidential = await deviceApp(world, tenant, { client_type: 'confidential' });
    });

    const both = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
      const asked = await askForDevice(world.baseUrl, fields, headers);
      const polled = await postForm<Failure>(
        `${world.baseUrl}/auth/token`,
        { grant_type: DEVICE_CODE_GRANT, device_code: 'x', ...fields },
        headers,
      );
      return [asked, polled].map(({ status, body }) => `${status} ${body.error}`);
    };

    it.each<[string, () => Promise<string[]>, string[]]>([
      ['none', () => both({}), ['401 invalid_client', '401 invalid_client']],
      [
        'an unknown one',
        () => both({ client_id: '00000000-0000-4000-8000-000000000000' }),
        ['401 invalid_client', '401 invalid_client'],
      ],
      [
        'a confidential one without its secret',
        () => both({ client_id: confidential.id }),
        ['401 invalid_client', '401 invalid_client'],
      ],
      [
        'one with a wrong secret',
        () => both({ client_id: app.id, client_secret: 'wrong' }),
        ['401 invalid_client', '401 invalid_client'],
      ],
      [
        'a confidential one with its secret',
        () => both({}, basic(confidential.id, confidential.secret)),
        ['200 undefined', '400 invalid_grant'],
      ],
      [
        'an app without the setting',
        async () => both({ client_id: (await world.app(tenant)).id }),
        ['400 unauthorized_client', '400 unauthorized_client'],
      ],
    ])('%s', async (_, answers, expected) => {
      expect(await answers()).toEqual(expected);
    });

    it('and never lets a device into a Console app, whatever its config says', async () => {
      await world.asAdmin('PUT', `/admin/apps/${tenant.consoleAppId}`, { config: { device_grant: true } });
      expect(await both({ client_id: tenant.consoleAppId })).toEqual([
        '400 unauthorized_client',
        '400 unauthorized_client',
      ]);
    });
  });

  describe('on the page', () => {
    it.each([
      ['no code', '', 'Enter the code.'],
      ['a code of another form', 'AEIO-UAEI', 'This code is not valid'],
      ['a code of no device', 'BCDF-GHJK', 'This code is not valid'],
    ])('refuses %s', async (_, typed, words) => {
      const page = await typeCode(browser(), typed);
      expect([page.status, wordsOf(page)]).toEqual([422, expect.stringContaining(words)]);
    });

    it('refuses a form of another site', async () => {
      const device = await beginDevice(world, app);
      const sent = await browser().post('/device', { user_code: device.user_code });
      expect(sent.status).toBe(403);
    });

    it('limits wrong codes of an address, and of a user from all addresses', async () => {
      const device = await beginDevice(world, app);
      const user = await world.user(app);
      const guess = async (visitor: HostedBrowser, from: string, code = 'BCDF-GHJK') => {
        const headers = { 'X-Forwarded-For': from };
        const page = await visitor.get('/device', headers);
        const { status } = await visitor.post('/device', { form_token: page.formToken(), user_code: code }, headers);
        return status;
      };
      for (let left = GUESSES; left > 0; left--) expect(await guess(browser(), '198.51.100.7')).toBe(422);
      expect(await guess(browser(), '198.51.100.7', device.user_code)).toBe(429);
      expect(await guess(browser(), '198.51.100.8', device.user_code)).toBe(303);
      const visitor = await visitAccount(world, user);
      for (let left = GUESSES; left > 0; left--) expect(await guess(visitor, `198.51.100.1${left}`)).toBe(422);
      expect(await guess(visitor, '198.51.100.20', device.user_code)).toBe(429);
      // However many codes all users together have tried, a user with few tries of their own continues.
      const limits = service.nest.get(RateLimitsService, { strict: false });
      await limits.shut('device_code_failures_all', 'everyone', 60);
      try {
        expect(await guess(browser(), '198.51.100.9', device.user_code)).toBe(303);
      } finally {
        await limits.clear('device_code_failures_all', 'everyone');
      }
    });

    it('lets exactly so many of any number of wrong codes at once be tried, and counts no right one', async () => {
      const device = await beginDevice(world, app);
      const headers = { 'X-Forwarded-For': '198.51.100.30' };
      const pages = await Promise.all(
        Array.from({ length: 3 * GUESSES }, async () => {
          const visitor = browser();
          return { visitor, token: (await visitor.get('/device', headers)).formToken() };
        }),
      );
      const send = async ({ visitor, token }: (typeof pages)[number], user_code: string) =>
        (await visitor.post('/device', { form_token: token, user_code }, headers)).status;
      for (const page of pages.slice(0, GUESSES + 1)) expect(await send(page, device.user_code)).toBe(303);
      const statuses = await Promise.all(pages.map((page) => send(page, 'BCDF-GHJK')));
      expect(statuses.sort()).toEqual([...Array<number>(GUESSES).fill(422), ...Array<number>(2 * GUESSES).fill(429)]);
    });

    it('asks once more where another user signs in after one has allowed it', async () => {
      const [first, second] = [await world.user(app), await world.user(app)];
      const device = await beginDevice(world, app);
      const { browser: visitor, page } = await reachApproval(world, first, device);
      const sent = await visitor.post(page.formAction(), { ...page.hiddenFields(), answer: 'allow' });
      expect(sent.status).toBe(303);
      const attempt = page.formAction().replace(/\/approve_device$/, '');
      await visitor.post(`${attempt}/other-account`, { form_token: page.formToken() });
      const login = await visitor.get(attempt);
      const asked = await visitor.submit(login, { email: second.email, password: second.password });
      expect(asked.body).toContain('value="allow"');
      expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    });

    it('says when the code has expired, or was answered in another window', async () => {
      const user = await world.user(app);
      const late = await beginDevice(world, app);
      const shown = await reachApproval(world, user, late);
      await expire(late);
      expect(wordsOf(await shown.browser.submit(shown.page, { answer: 'allow' }))).toContain('no longer valid');
      const twice = await beginDevice(world, app);
      const other = await reachApproval(world, await world.user(app), twice);
      await allowDevice(world, user, twice);
      expect(wordsOf(await other.browser.submit(other.page, { answer: 'allow' }))).toContain('no longer valid');
      expect(decodeJwt((await poll(twice)).body.access_token).sub).toBe(user.id);
    });

    it('lets one of several users at once allow a device', async () => {
      const device = await beginDevice(world, app);
      const users = await newUsers(world, 6, app);
      const pages = await Promise.all(users.map((user) => reachApproval(world, user, device)));
      const ends = await Promise.all(
        pages.map(({ browser: visitor, page }) => visitor.submit(page, { answer: 'allow' })),
      );
      expect(ends.filter((end) => end.body.includes('Sign-in allowed'))).toHaveLength(1);
      expect((await poll(device)).status).toBe(200);
      const said = await world.sql(
        `SELECT 1 FROM audit_entries WHERE action = 'device.allowed' AND user_id = ANY ($1)`,
        [users.map(({ id }) => id)],
      );
      expect(said).toHaveLength(1);
    });
  });

  describe('takes the way of every sign-in of the app:', () => {
    it('the second factor', async () => {
      const user = await world.user(app);
      const { secret } = await enroll(world, user, app.id);
      const device = await beginDevice(world, app);
      const { browser: visitor, page } = await reachApproval(world, user, device);
      expect(page.body).not.toContain('value="allow"');
      const asked = await visitor.submit(page, { code: codeAt(secret) });
      await visitor.submit(asked, { answer: 'allow' });
      expect(decodeJwt((await poll(device)).body.access_token)['amr']).toEqual(expect.arrayContaining(['otp', 'mfa']));
    });

    it('membership, with the setting that says who may join', async () => {
      const outsider = await world.user(app);
      const open = await deviceApp(world, tenant, {}, { registration_policy: 'open' });
      const device = await beginDevice(world, open);
      const { browser: visitor, page } = await reachApproval(world, outsider, device);
      expect(page.formAction()).toMatch(/\/join$/);
      const asked = await visitor.submit(page, {});
      await visitor.submit(asked, { answer: 'allow' });
      expect((await poll(device, open)).status).toBe(200);
      const closed = await deviceApp(world, tenant);
      const waiting = await beginDevice(world, closed);
      const refused = await reachApproval(world, outsider, waiting);
      expect(refused.page.body).not.toContain('value="allow"');
      expect(refused.page.body).not.toContain('/device?error');
      expect(await errorOf(waiting, closed)).toEqual([400, 'authorization_pending']);
    });

    it('suspension, after which the page says why', async () => {
      const client = await deviceApp(world, tenant);
      const user = await world.user(client);
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: client.id });
      const device = await beginDevice(world, client);
      const { browser: visitor, page } = await reachApproval(world, user, device);
      const { pathname, search } = new URL(page.location!);
      expect(wordsOf(await visitor.get(pathname + search))).toContain('suspended');
      expect(await errorOf(device, client)).toEqual([400, 'authorization_pending']);
    });

    it('suspension after the user has allowed it, also when it is over', async () => {
      const client = await deviceApp(world, tenant);
      const user = await world.user(client);
      const device = await beginDevice(world, client);
      await allowDevice(world, user, device);
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: client.id });
      await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${client.id}/reactivate`);
      expect(await errorOf(device, client)).toEqual([400, 'access_denied']);
    });

    it('a sign-in link, which leads another browser to no device', async () => {
      const member = await world.user(app, { email_verified: true });
      const device = await beginDevice(world, app);
      const [row] = await world.sql<{ id: string }>(
        `SELECT id FROM device_authorizations WHERE device_code_hash = sha256(convert_to($1, 'UTF8'))`,
        [device.device_code],
      );
      const { nest } = service;
      const user = await nest.get(UsersService, { strict: false }).get(member.id);
      const client = await nest.get(AppDirectory, { strict: false }).findOpen(app.id);
      const link = await nest
        .get(Transactions, { strict: false })
        .run((tx) =>
          nest
            .get(MailLinksService, { strict: false })
            .make(tx, 'magic_link', user, client, { ...deviceRequest(world.baseUrl, row!.id) }),
        );
      const visitor = browser();
      let page = await visitor.useMagicLink(new URL(link).searchParams.get('token')!);
      for (let hop = 0; page.location !== null && hop < 5; hop++)
        page = await visitor.get(new URL(page.location, world.baseUrl).pathname);
      // Signed in, on the empty page: the user types the code of their own device.
      expect([page.status, page.body.includes('name="user_code"'), page.body.includes(device.user_code)]).toEqual([
        200,
        true,
        false,
      ]);
      expect((await visitor.get('/account')).status).toBe(200);
      expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    });

    it('a session on the account page, which outlives the browser and ends the device', async () => {
      const user = await world.user(app);
      const before = await visitAccount(world, user);
      const device = await beginDevice(world, app);
      const visitor = await allowDevice(world, user, device);
      expect(await entries(user, 'user.new_browser')).toContainEqual({
        user_agent: 'Television',
        network: '127.0.0.0/24',
        mailed: true,
      });
      const { refresh_token } = (await poll(device)).body;
      const refresh = async (token: string) =>
        postForm<Tokens & Failure>(`${world.baseUrl}/auth/token`, {
          grant_type: 'refresh_token',
          client_id: app.id,
          refresh_token: token,
        });
      await sendForm(visitor, '/account/sign-out');
      const next = await refresh(refresh_token);
      expect(next.status).toBe(200);
      await endDevice(before);
      expect((await refresh(next.body.refresh_token)).status).toBe(400);
      expect(await entries(user, 'session.revoked')).toHaveLength(2);
    });
  });
});
