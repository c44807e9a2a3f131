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
  stage: AuthzFixture,
  from: string,
  action = from,
  fields: Record<string, string> = {},
): Promise<WriteRequest> {
  const browser = await operator(stage);
  const page = await browser.get(from);
  return formOn(browser, page, action, { form_token: contentToken(page), ...fields });
}

const userPage = ({ id }: TestUser, path = '') => `/console/users/${id}${path}`;
const appPage = ({ id }: { id: string }, path = '') => `/console/apps/${id}${path}`;
const atApp = ({ id }: { id: string }, act: string) => `/apps/${id}/${act}`;

/** A form about a member of the stage's app. */
const aboutUser =
  (act: (app: TestClient) => string, from = (app: TestClient) => act(app), fields: Record<string, string> = {}) =>
  async (stage: AuthzFixture): Promise<WriteRequest> => {
    const user = await stage.target();
    return press(stage, userPage(user, from(stage.app)), userPage(user, act(stage.app)), fields);
  };

/** A form of a tab of an app that is there for this request alone. */
const aboutApp =
  (tab: string, fields: Record<string, string> = {}, action = tab): Preparation =>
  async (stage) => {
    const app = await stage.world.app(stage.tenant);
    return press(stage, appPage(app, tab), appPage(app, action), fields);
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

async function withPush(stage: AuthzFixture, config: Record<string, unknown> = {}): Promise<TestClient> {
  const app = await stage.world.app(stage.tenant);
  await stage.world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, ...config });
  return app;
}

const USERS: Readonly<Record<string, Preparation>> = {
  'create user': (stage) => {
    const fields = { email: `made-${unique()}@example.com`, display_name: 'Made' };
    return press(stage, '/console/users/new', '/console/users', fields);
  },
  'enrol user': async (stage) => {
    const user = await stage.target();
    return press(stage, userPage(user, '/enrol'), userPage(user, '/enrol'), { app_id: stage.sibling.id });
  },
  'set password': aboutUser(
    () => '/password',
    () => '/account',
    { new_password: NEW_PASSWORD },
  ),
  'reset second factor': async (stage) => {
    const user = await stage.target();
    await enroll(stage.world, user, stage.app.id);
    return press(stage, userPage(user, '/second-factor/reset'));
  },
  'promote user': async (stage) => {
    const user = await stage.target();
    // All platform admins get a mail, so each time there must be as many.
    const { world } = stage;
    await world.sql('UPDATE users SET is_platform_admin = false WHERE is_platform_admin AND id <> $1', [
      world.admin.id,
    ]);
    return press(stage, userPage(user, '/promote'), userPage(user, '/promote'), { confirm_name: user.email });
  },
  'delete user': async (stage) => {
    const user = await stage.target();
    return press(stage, userPage(user, '/delete'), userPage(user, '/delete'), { confirm_name: user.email });
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
  'end sign-in': async (stage) => {
    const user = await stage.target();
    await stage.world.tokens(user, stage.app.id);
    const [family] = await stage.world.sql<{ id: string }>('SELECT id FROM refresh_families WHERE user_id = $1', [
      user.id,
    ]);
    return press(stage, userPage(user, `/sign-ins/${family!.id}/end`));
  },
  'approve request': async (stage) => {
    const user = await waiting(stage);
    const path = `/console/requests/${stage.app.id}/${user.id}/approve`;
    return press(stage, '/console/requests', path, { confirmed_email: user.email });
  },
  'deny several requests': async (stage) => {
    const user = await waiting(stage);
    const fields = {
      act: 'deny',
      [`pick:${user.id}:${stage.app.id}`]: 'on',
      [`confirmed:${user.id}`]: user.email,
    };
    return press(stage, '/console/requests', '/console/requests/bulk', fields);
  },
};

const APPS: Readonly<Record<string, Preparation>> = {
  'create app': (stage) =>
    press(stage, '/console/apps/new', '/console/apps/new', {
      tenant_id: stage.tenant.id,
      name: 'Made',
      bundle_id: `com.example.${unique()}`,
    }),
  'rename app': aboutApp('', { name: 'Renamed' }),
  'sign-in of an app': aboutApp('/sign-in', { token_lifetime_minutes: '7' }),
  'branding of an app': aboutApp('/branding', { primary_color: '#AA3300' }),
  'scopes of an app': aboutApp('/api-access', { 'scope_users:read': 'on' }),
  'client secret': aboutApp('/api-access/secret'),
  'push of an app': aboutApp('/push', { enabled: 'on', daily_quota: '250' }),
  'webhook of an app': async (stage) => {
    const app = await withPush(stage);
    const fields = { webhook_url: 'https://receiver.example.com/hook' };
    return press(stage, appPage(app, '/webhooks'), appPage(app, '/webhooks'), fields);
  },
  'webhook secret': async (stage) => {
    const app = await withPush(stage, { webhook_url: 'https://receiver.example.com/hook' });
    return press(stage, appPage(app, '/webhooks/secret'));
  },
  'test event': async (stage) => {
    const app = await withPush(stage, { webhook_url: 'https://receiver.example.com/hook' });
    return press(stage, appPage(app, '/webhooks'), appPage(app, '/webhooks/test'));
  },
  'create invite': aboutApp('/invites', { max_uses: '2' }),
  'revoke invite': async (stage) => {
    const { id } = await newInvite(stage.world, stage.app);
    return press(stage, appPage(stage.app, `/invites/${id}/revoke`));
  },
  'switch off app': async (stage) => {
    const app = await stage.world.app(stage.tenant);
    const fields = { confirm_name: await nameOf(stage, 'apps', app.id) };
    return press(stage, appPage(app, '/danger/off'), appPage(app, '/danger/off'), fields);
  },
  'archive app': async (stage) => {
    const app = await stage.world.app(stage.tenant);
    const fields = { confirm_name: await nameOf(stage, 'apps', app.id) };
    return press(stage, appPage(app, '/danger/archive'), appPage(app, '/danger/archive'), fields);
  },
  'several members': async (stage) => {
    const user = await stage.target();
    const fields = { act: 'suspend', [`pick:${user.id}`]: 'on', [`confirmed:${user.id}`]: user.email };
    return press(stage, appPage(stage.app, '/members'), appPage(stage.app, '/members/bulk'), fields);
  },
};

const OTHERS: Readonly<Record<string, Preparation>> = {
  'create tenant': (stage) => press(stage, '/console/tenants/new', '/console/tenants', { name: `Made ${unique()}` }),
  'rename tenant': async (stage) => {
    const { id } = await stage.world.tenant();
    return press(stage, `/console/tenants/${id}`, `/console/tenants/${id}`, { name: `Renamed ${unique()}` });
  },
  'add tenant admin': async (stage) => {
    const { id } = await stage.world.tenant();
    const { email } = await stage.target();
    return press(stage, `/console/tenants/${id}/admins`, `/console/tenants/${id}/admins`, { email });
  },
  'switch off tenant': async (stage) => {
    const { id, name } = await stage.world.tenant();
    const page = `/console/tenants/${id}/danger`;
    return press(stage, page, page, { to: 'off', confirm_name: name });
  },
  'begin impersonation': async (stage) => {
    const { world } = stage;
    visits.delete(world); // the session gets a new cookie with it
    const page = `/console/impersonate/${stage.tenant.id}`;
    const request = await press(stage, page, page, { reason: 'Ticket 12' });
    visits.delete(world);
    return request;
  },
  'retry job': async (stage) => {
    const id = randomUUID();
    await stage.world.sql(
      `INSERT INTO outbox_messages (id, job, payload, max_attempts, attempts, dead_at, last_error)
       VALUES ($1, 'test.unknown', '{}', 15, 15, now(), 'Error')`,
      [id],
    );
    return press(stage, '/console/queues', `/console/queues/${id}/retry`);
  },
  'rotate signing key': (stage) => press(stage, '/console/keys/rotate'),
  'sign out of the console': async (stage) => {
    visits.delete(stage.world);
    const request = await press(stage, '/console/logout');
    visits.delete(stage.world);
    return request;
  },
};

/** Forms of the console, one for each use case that writes. */
export const CONSOLE_REQUESTS: Readonly<Record<string, Preparation>> = Object.fromEntries(
  Object.entries({ ...USERS, ...APPS, ...OTHERS }).map(([name, prepare]) => [`console: ${name}`, prepare]),
);
