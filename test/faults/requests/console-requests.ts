import { randomUUID } from 'node:crypto';
import type { AuthzFixture } from '../../support/authz-fixture.js';
import { contentToken, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { enroll } from '../../support/second-factor.js';
import { type TestUser, type TestClient, unique, type World } from '../../support/world.js';
import { formOn, type Preparation, type WriteRequest } from './write-request.js';

const NEW_PASSWORD = 'an entirely new secret';

/** The platform admin in the console: one session for all requests of a world. */
const visits = new WeakMap<World, Promise<HostedBrowser>>();

async function operator({ world }: AuthzFixture): Promise<HostedBrowser> {
  if (!visits.has(world)) visits.set(world, visitConsole(world, world.admin));
  const browser = await visits.get(world)!;
  // As if just signed in, and seen a moment ago: a request then writes what it is for and nothing else.
  await world.sql('UPDATE console_sessions SET auth_time = now(), last_seen_at = now() WHERE user_id = $1', [
    world.admin.id,
  ]);
  return browser;
}

/** Opens a page of the console and sends the form of it that goes there. */
async function press(
  fixture: AuthzFixture,
  from: string,
  action = from,
  fields: Record<string, string> = {},
): Promise<WriteRequest> {
  const browser = await operator(fixture);
  const page = await browser.get(from);
  return formOn(browser, page, action, { form_token: contentToken(page), ...fields });
}

const userPage = ({ id }: TestUser, path = '') => `/console/users/${id}${path}`;
const appPage = ({ id }: { id: string }, path = '') => `/console/apps/${id}${path}`;
const atApp = ({ id }: { id: string }, act: string) => `/apps/${id}/${act}`;

/** A form about a member of the fixture's app. */
const aboutUser =
  (act: (app: TestClient) => string, from = (app: TestClient) => act(app), fields: Record<string, string> = {}) =>
  async (fixture: AuthzFixture): Promise<WriteRequest> => {
    const user = await fixture.target();
    return press(fixture, userPage(user, from(fixture.app)), userPage(user, act(fixture.app)), fields);
  };

/** A form of a tab of an app that is there for this request alone. */
const aboutApp =
  (tab: string, fields: Record<string, string> = {}, action = tab): Preparation =>
  async (fixture) => {
    const app = await fixture.world.app(fixture.tenant);
    return press(fixture, appPage(app, tab), appPage(app, action), fields);
  };

const nameOf = async ({ world }: AuthzFixture, table: 'apps' | 'tenants', id: string): Promise<string> =>
  (await world.sql<{ name: string }>(`SELECT name FROM ${table} WHERE id = $1`, [id]))[0]!.name;

/** A user who waits to be let in. */
async function waiting({ world, app }: AuthzFixture): Promise<TestUser> {
  const user = await world.user(app);
  const sql = `UPDATE enrollments SET status = 'pending' WHERE user_id = $1 AND app_id = $2`;
  await world.sql(sql, [user.id, app.id]);
  return user;
}

async function withPush(fixture: AuthzFixture, config: Record<string, unknown> = {}): Promise<TestClient> {
  const app = await fixture.world.app(fixture.tenant);
  await fixture.world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, ...config });
  return app;
}

const USERS: Readonly<Record<string, Preparation>> = {
  'create user': (fixture) => {
    const fields = { email: `made-${unique()}@example.com`, display_name: 'Made' };
    return press(fixture, '/console/users/new', '/console/users', fields);
  },
  'enrol user': async (fixture) => {
    const user = await fixture.target();
    return press(fixture, userPage(user, '/enrol'), userPage(user, '/enrol'), { app_id: fixture.sibling.id });
  },
  'set password': aboutUser(
    () => '/password',
    () => '/account',
    { new_password: NEW_PASSWORD },
  ),
  'reset second factor': async (fixture) => {
    const user = await fixture.target();
    await enroll(fixture.world, user, fixture.app.id);
    return press(fixture, userPage(user, '/second-factor/reset'));
  },
  'promote user': async (fixture) => {
    const user = await fixture.target();
    // All platform admins get a mail, so each time there must be as many.
    const { world } = fixture;
    await world.sql('UPDATE users SET is_platform_admin = false WHERE is_platform_admin AND id <> $1', [
      world.admin.id,
    ]);
    return press(fixture, userPage(user, '/promote'), userPage(user, '/promote'), { confirm_name: user.email });
  },
  'delete user': async (fixture) => {
    const user = await fixture.target();
    return press(fixture, userPage(user, '/delete'), userPage(user, '/delete'), { confirm_name: user.email });
  },
  'change roles': aboutUser(
    (app) => atApp(app, 'roles'),
    (app) => atApp(app, 'roles'),
    { role_manager: 'on' },
  ),
  'suspend user': aboutUser((app) => atApp(app, 'suspend')),
  'remove user': aboutUser((app) => atApp(app, 'remove')),
  'mail a reset link': aboutUser(
    (app) => atApp(app, 'reset-link'),
    () => '',
  ),
  'end sign-in': async (fixture) => {
    const user = await fixture.target();
    await fixture.world.tokens(user, fixture.app.id);
    const [family] = await fixture.world.sql<{ id: string }>('SELECT id FROM refresh_families WHERE user_id = $1', [
      user.id,
    ]);
    return press(fixture, userPage(user, `/sign-ins/${family!.id}/end`));
  },
  'approve request': async (fixture) => {
    const user = await waiting(fixture);
    const path = `/console/requests/${fixture.app.id}/${user.id}/approve`;
    return press(fixture, '/console/requests', path, { confirmed_email: user.email });
  },
  'deny several requests': async (fixture) => {
    const user = await waiting(fixture);
    const fields = {
      act: 'deny',
      [`pick:${user.id}:${fixture.app.id}`]: 'on',
      [`confirmed:${user.id}`]: user.email,
    };
    return press(fixture, '/console/requests', '/console/requests/bulk', fields);
  },
};

const APPS: Readonly<Record<string, Preparation>> = {
  'create app': (fixture) =>
    press(fixture, '/console/apps/new', '/console/apps/new', {
      tenant_id: fixture.tenant.id,
      name: 'Made',
      bundle_id: `com.example.${unique()}`,
    }),
  'rename app': aboutApp('', { name: 'Renamed' }),
  'sign-in of an app': aboutApp('/sign-in', { token_lifetime_minutes: '7' }),
  'branding of an app': aboutApp('/branding', { primary_color: '#AA3300' }),
  'scopes of an app': aboutApp('/api-access', { 'scope_users:read': 'on' }),
  'client secret': aboutApp('/api-access/secret'),
  'push of an app': aboutApp('/push', { enabled: 'on', daily_quota: '250' }),
  'webhook of an app': async (fixture) => {
    const app = await withPush(fixture);
    const fields = { webhook_url: 'https://receiver.example.com/hook' };
    return press(fixture, appPage(app, '/webhooks'), appPage(app, '/webhooks'), fields);
  },
  'webhook secret': async (fixture) => {
    const app = await withPush(fixture, { webhook_url: 'https://receiver.example.com/hook' });
    return press(fixture, appPage(app, '/webhooks/secret'));
  },
  'test event': async (fixture) => {
    const app = await withPush(fixture, { webhook_url: 'https://receiver.example.com/hook' });
    return press(fixture, appPage(app, '/webhooks'), appPage(app, '/webhooks/test'));
  },
  'create invite': aboutApp('/invites', { max_uses: '2' }),
  'revoke invite': async (fixture) => {
    const { id } = await newInvite(fixture.world, fixture.app);
    return press(fixture, appPage(fixture.app, `/invites/${id}/revoke`));
  },
  'switch off app': async (fixture) => {
    const app = await fixture.world.app(fixture.tenant);
    const fields = { confirm_name: await nameOf(fixture, 'apps', app.id) };
    return press(fixture, appPage(app, '/danger/off'), appPage(app, '/danger/off'), fields);
  },
  'archive app': async (fixture) => {
    const app = await fixture.world.app(fixture.tenant);
    const fields = { confirm_name: await nameOf(fixture, 'apps', app.id) };
    return press(fixture, appPage(app, '/danger/archive'), appPage(app, '/danger/archive'), fields);
  },
  'several members': async (fixture) => {
    const user = await fixture.target();
    const fields = { act: 'suspend', [`pick:${user.id}`]: 'on', [`confirmed:${user.id}`]: user.email };
    return press(fixture, appPage(fixture.app, '/members'), appPage(fixture.app, '/members/bulk'), fields);
  },
};

const OTHERS: Readonly<Record<string, Preparation>> = {
  'create tenant': (fixture) =>
    press(fixture, '/console/tenants/new', '/console/tenants', { name: `Made ${unique()}` }),
  'rename tenant': async (fixture) => {
    const { id } = await fixture.world.tenant();
    return press(fixture, `/console/tenants/${id}`, `/console/tenants/${id}`, { name: `Renamed ${unique()}` });
  },
  'add tenant admin': async (fixture) => {
    const { id } = await fixture.world.tenant();
    const { email } = await fixture.target();
    return press(fixture, `/console/tenants/${id}/admins`, `/console/tenants/${id}/admins`, { email });
  },
  'switch off tenant': async (fixture) => {
    const { id, name } = await fixture.world.tenant();
    const page = `/console/tenants/${id}/danger`;
    return press(fixture, page, page, { to: 'off', confirm_name: name });
  },
  'begin impersonation': async (fixture) => {
    const { world } = fixture;
    visits.delete(world); // the session gets a new cookie with it
    const page = `/console/impersonate/${fixture.tenant.id}`;
    const request = await press(fixture, page, page, { reason: 'Ticket 12' });
    visits.delete(world);
    return request;
  },
  'retry job': async (fixture) => {
    const id = randomUUID();
    await fixture.world.sql(
      `INSERT INTO outbox_messages (id, job, payload, max_attempts, attempts, dead_at, last_error)
       VALUES ($1, 'test.unknown', '{}', 15, 15, now(), 'Error')`,
      [id],
    );
    return press(fixture, '/console/queues', `/console/queues/${id}/retry`);
  },
  'rotate signing key': (fixture) => press(fixture, '/console/keys/rotate'),
  'sign out of the console': async (fixture) => {
    visits.delete(fixture.world);
    const request = await press(fixture, '/console/logout');
    visits.delete(fixture.world);
    return request;
  },
};

/** Forms of the console, one for each use case that writes. */
export const CONSOLE_REQUESTS: Readonly<Record<string, Preparation>> = Object.fromEntries(
  Object.entries({ ...USERS, ...APPS, ...OTHERS }).map(([name, prepare]) => [`console: ${name}`, prepare]),
);
