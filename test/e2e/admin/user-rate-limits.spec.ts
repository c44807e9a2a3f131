import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RATE_LIMIT_LABELS } from '../../../src/rate-limits/counters/rate-limit.rules.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { countersOf } from '../../../src/admin/users/limits/user-limits.rules.js';
import { isOfUser } from '../../../src/rate-limits/counters/counter-keys.rules.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, unique, World } from '../../support/world.js';

interface Limits {
  readonly user_id: string;
  readonly email: string;
  readonly rate_limits: { label: string; key: string; count: number; ttl: number }[];
}

/** Labels counted by network address or app, shown only if they affect a user. */
const OF_NETWORK = [
  'login_ip',
  'login_page_ip',
  'passkey_ip',
  'vapid_ip',
  'stop_link_ip',
  'dpop_ip',
  'client_reads',
  'client_documents',
  'client_registrations',
  'oauth_start_ip',
  'oauth_callback_ip',
  'forgot_password_ip',
  'reset_password_ip',
  'mail_ip',
  'signup_ip',
  'code_failures',
  'device_requests',
  'invite_failures',
];
const NOT_USERAL = [
  ...OF_NETWORK,
  'client_credentials',
  'refused_clients',
  'token_exchange',
  'refresh_failures',
  'pushed_requests',
  'registered_clients',
  'scheduled_change_tenant',
  'app_changes',
  'membership_changes',
  'invite_mail',
  'approval_mail',
  'webhook_notice',
  // By user, tenant and app.
  'access_request_mail',
  'scheduled_change_mail',
  // By user or app, and key.
  'dpop_key',
  'dpop_server_key',
  // By user and app.
  'device_register',
  'token_reuses',
  'device_code_failures_all',
];
const NETWORK = '127.0.0.1';

describe('/admin/users/{user_id}/rate-limits', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const read = (id: string) => world.asAdmin<Limits>('GET', `/admin/users/${id}/rate-limits`);
  const clear = (id: string) => world.asAdmin('POST', `/admin/users/${id}/rate-limits/clear`);
  /** The counts without those of the network address that all tests share. */
  const counts = async (id: string) =>
    Object.fromEntries(
      (await read(id)).rate_limits.filter(({ key }) => key !== NETWORK).map(({ label, count }) => [label, count]),
    );
  const fail = (user: TestUser, times: number) =>
    Promise.all(Array.from({ length: times }, () => world.login({ ...user, password: 'wrong' }, app.id)));

  it('is empty for a new user', async () => {
    const user = await world.user(app);
    expect(await read(user.id)).toEqual({ user_id: user.id, email: user.email, rate_limits: [] });
  });

  it('shows label, key, count and seconds left for an email address in any spelling', async () => {
    const email = `Limited-${unique()}@Example.com`;
    const user = await world.user(app, { email });
    await fail({ ...user, email: email.toUpperCase() }, 2);
    const { rate_limits, ...rest } = await read(user.id);
    expect(rest).toEqual({ user_id: user.id, email });
    const own = rate_limits.filter(({ label }) => label === 'login_email');
    expect(own).toEqual([
      { label: 'login_email', key: email.toLowerCase(), count: 2, ttl: expect.any(Number) },
      { label: 'login_email', key: `${email.toLowerCase()} ${NETWORK}`, count: 2, ttl: expect.any(Number) },
    ]);
    expect(own[0]!.ttl).toBeGreaterThan(800);
    expect(own[0]!.ttl).toBeLessThanOrEqual(900);
  });

  it('shows the counters of the other routes', async () => {
    const user = await world.user(app, { roles: ['admin'], email_verified: false });
    const body = { email: user.email, app_id: app.id };
    await world.call('POST', '/auth/magic-link', body);
    await world.call('POST', '/auth/forgot-password', body);
    const login = await world.login(user, app.id);
    const cookie = login.headers
      .getSetCookie()
      .map((line) => line.split(';')[0]!)
      .join('; ');
    await world.call('POST', '/auth/send-verification', {}, { headers: { Cookie: cookie } });
    await world.call('GET', '/admin/users', undefined, { token: login.body.access_token });
    expect(await counts(user.id)).toEqual({ magic_link: 1, forgot_password: 1, send_verification: 1, admin: 1 });
    expect((await read(user.id)).rate_limits.find(({ label }) => label === 'admin')!.key).toBe(
      `user:${user.id} ${app.id}`,
    );
  });

  it('shows and clears the counters of the user’s network addresses', async () => {
    const user = await world.user(app);
    const limits = service.nest.get(RateLimitsService, { strict: false });
    await world.login(user, app.id);
    await world.sql(`UPDATE sso_sessions SET ip_address = '2001:db8:5:6::7' WHERE user_id = $1`, [user.id]);
    await limits.tryConsumeOfUser('magic_link', user.email, '198.51.100.9');
    const stranger = `stranger-${unique()}@example.com`;
    await limits.tryConsumeOfUser('login_email', stranger, '198.51.100.9');
    await limits.tryConsume('mail_ip', '198.51.100.9');
    await limits.tryConsume('login_ip', '2001:db8:5:6::/64');
    await limits.tryConsume('client_credentials', `${app.id} 198.51.100.9`);
    const shown = async () => (await read(user.id)).rate_limits.map(({ label, key }) => `${label} ${key}`);
    const wanted = [
      `magic_link ${user.email}`,
      `magic_link ${user.email} 198.51.100.9`,
      'mail_ip 198.51.100.9',
      'login_ip 2001:db8:5:6::/64',
      'login_ip 2001:db8:5::/48',
      `client_credentials ${app.id} 198.51.100.9`,
    ];
    expect(await shown()).toEqual(expect.arrayContaining(wanted));
    expect((await shown()).join()).not.toContain(stranger);
    await clear(user.id);
    expect(await shown()).toEqual([]);
    expect(await limits.inspect([{ label: 'login_email', key: stranger }])).toHaveLength(1);
  });

  it('includes every label that counts a user', () => {
    const personal = countersOf({ id: 'x', emailCanonical: 'x' }).map(({ label }) => label);
    // One label may count by user and by address: `member_mail` does.
    expect([...new Set(personal), ...NOT_USERAL].sort()).toEqual([...RATE_LIMIT_LABELS].sort());
  });

  // security 106
  it('after a clear lets that user sign in at once, and no other user', async () => {
    const [user, other] = [await world.user(app), await world.user(app)];
    for (const each of [user, other]) {
      await fail(each, 5);
      expect((await world.login(each, app.id)).status).toBe(429);
    }
    expect(await clear(user.id)).toEqual({ status: 'ok' });
    expect((await read(user.id)).rate_limits).toEqual([]);
    expect((await world.login(user, app.id)).status).toBe(200);
    expect((await world.login(other, app.id)).status).toBe(429);
  });

  it('clears the counters of every label', async () => {
    const user = await world.user(app);
    const limits = service.nest.get(RateLimitsService, { strict: false });
    const [row] = await world.sql<{ email_canonical: string }>('SELECT email_canonical FROM users WHERE id = $1', [
      user.id,
    ]);
    const counters = countersOf({ id: user.id, emailCanonical: row!.email_canonical });
    for (const { label, key } of counters)
      await (isOfUser(label) ? limits.tryConsumeOfUser(label, key, 'browser:a') : limits.tryConsume(label, key));
    expect(Object.keys(await counts(user.id)).sort()).toEqual(
      [...new Set<string>(counters.map(({ label }) => label))].sort(),
    );
    await clear(user.id);
    expect(await counts(user.id)).toEqual({});
    const entries = await world.sql<{ metadata: { counters: object[] } }>(
      `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'rate_limit.cleared'`,
      [user.id],
    );
    expect(entries.map(({ metadata }) => metadata.counters.length)).toEqual([counters.length]);
  });

  it('shows and clears what a tenant counts in all its apps, also where more counters are open than are remembered', async () => {
    const user = await world.user(app);
    const limits = service.nest.get(RateLimitsService, { strict: false });
    const wide = `${user.id} ${app.tenantId}`;
    for (let n = 0; n < 210; n++) await limits.tryConsume('administrator_mail', `${wide} ${unique()}`);
    const keys = async () => (await read(user.id)).rate_limits.map(({ key }) => key);
    expect(await keys()).toContain(wide);
    await clear(user.id);
    expect(await keys()).not.toContain(wide);
  });

  it('returns 404 for an unknown user', async () => {
    const path = '/admin/users/00000000-0000-4000-8000-000000000000/rate-limits';
    for (const [method, at] of [
      ['GET', path],
      ['POST', `${path}/clear`],
    ] as const) {
      const answer = await world.call(method, at, undefined, { token: world.admin.token });
      expect([answer.status, answer.body]).toEqual([404, { detail: 'User not found' }]);
    }
  });
});
