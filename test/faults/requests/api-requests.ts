import { randomUUID } from 'node:crypto';
import { codeAt, nextCode } from '../../support/authenticator.js';
import { EXERCISES } from '../../support/authz/exercises.js';
import type { AuthzFixture } from '../../support/authz-fixture.js';
import { newInvite } from '../../support/invites.js';
import { signUpUser } from '../../support/new-user.js';
import { newCode } from '../../support/one-time-code.js';
import { fcmToken, pushApp, registerDevice } from '../../support/push.js';
import { enroll, sessionOf, totpSession } from '../../support/second-factor.js';
import { type TestUser, type TestClient, unique, type World } from '../../support/world.js';
import { mailedLink } from '../../support/mailed-link.js';
import { OAUTH_REQUESTS } from './oauth-requests.js';
import { PASSKEY_REQUESTS } from './passkey-requests.js';
import { WEBHOOK_REQUESTS } from './webhook-requests.js';
import type { Preparation, WriteRequest } from './write-request.js';

/** Rows of the matrix whose requests another caller makes: {@link OF_USERS} has them. */
const OF_OTHERS = ['/push/send', '/push/devices'];
/** Rows whose requests find nothing and write nothing. */
const OF_NO_ONE = ['POST /admin/providers/{provider}', 'GET /admin/previews/{task}'];

/** The admin API's, as the platform admin: one for each row and spelling of the authorization matrix. */
function ofAdmins(): Record<string, Preparation> {
  const rows = Object.entries(EXERCISES).filter(
    ([row]) => !OF_OTHERS.some((path) => row.includes(path)) && !OF_NO_ONE.includes(row),
  );
  const entries = rows.flatMap(([row, { forms }]) =>
    Object.entries(forms).map(([form, prepare]): [string, Preparation] => [
      Object.keys(forms).length > 1 ? `${row} (${form})` : row,
      async (fixture) => {
        await takeBack(fixture);
        await fixture.signInAgain('PA');
        const request = await prepare(fixture);
        return { ...request, token: fixture.token('PA') };
      },
    ]),
  );
  return Object.fromEntries(entries);
}

/** What earlier requests have left, and what makes the next one write more: each new administrator gets a notice. */
async function takeBack({ world, app, tenant, users }: AuthzFixture): Promise<void> {
  const known = [...users.values()].map(({ id }) => id);
  await world.sql('UPDATE users SET is_platform_admin = false WHERE is_platform_admin AND id <> $1', [world.admin.id]);
  await world.sql('DELETE FROM enrollments WHERE app_id = $1 AND user_id <> ALL ($2)', [tenant.consoleAppId, known]);
  await world.sql('DELETE FROM scheduled_changes');
  await world.sql('DELETE FROM push_settings WHERE app_id = $1', [app.id]);
}

async function tokensOf({ world, app }: AuthzFixture, user?: TestUser) {
  return world.tokens(user ?? (await world.user(app)), app.id);
}

const post = (path: string, body: unknown, more: Partial<WriteRequest> = {}): WriteRequest => ({
  method: 'POST',
  path,
  body,
  ...more,
});

/** An app with push, and a user of it with a phone. */
async function audience(world: World) {
  const app = await pushApp(world);
  const user = await world.user(app);
  await registerDevice(world, app, user);
  return { app, user_id: user.id };
}

/** With a second factor, and the sign-in that may change it. */
async function strongUser({ world, app }: AuthzFixture) {
  const user = await world.user(app);
  const factor = await enroll(world, user, app.id);
  const challenge = await totpSession(world, user, app.id);
  return { user, challenge, ...factor };
}

async function openApp({ world, tenant }: AuthzFixture, policy: string): Promise<TestClient> {
  return world.app(tenant, { registration_policy: policy });
}

const OF_USERS: Readonly<Record<string, Preparation>> = {
  'POST /auth/login': async ({ world, app }) => {
    const { email, password } = await world.user(app);
    return post('/auth/login', { email, password, app_id: app.id });
  },
  'POST /auth/login, wrong password': async ({ world, app }) => {
    const { email } = await world.user(app);
    return post('/auth/login', { email, password: 'another one', app_id: app.id });
  },
  'POST /auth/signup': async (fixture) => {
    const { id } = await openApp(fixture, 'open');
    return post('/auth/signup', { ...fixture.newUser(), app_id: id });
  },
  'POST /auth/request-access': async (fixture) => {
    const { world, app } = fixture;
    const closed = await openApp(fixture, 'approval');
    const signedIn = await world.login(await world.user(app), app.id);
    return post('/auth/request-access', { app_id: closed.id }, sessionOf(signedIn));
  },
  'POST /auth/accept-invite': async ({ world, app }) => {
    const { code } = await newInvite(world, app);
    const email = `guest-${unique()}@example.com`;
    const body = { email, display_name: 'Guest', password: `a long password ${unique()}` };
    return post('/auth/accept-invite', { ...body, app_id: app.id, invite_code: code });
  },
  'POST /auth/forgot-password': async ({ world, app }) => {
    const { email } = await world.user(app);
    return post('/auth/forgot-password', { email, app_id: app.id });
  },
  'POST /auth/reset-password': async ({ world, app }) => {
    const token = await mailedLink(world, await world.user(app), app, 'reset_password');
    return post('/auth/reset-password', { token, password: `a long password ${unique()}` });
  },
  'POST /auth/magic-link/request': async ({ world, app }) => {
    const { email } = await world.user(app);
    return post('/auth/magic-link/request', { email, app_id: app.id });
  },
  'POST /auth/totp/verify': async (fixture) => {
    const { challenge, secret } = await strongUser(fixture);
    return post('/auth/totp/verify', { totp_session: challenge, code: codeAt(secret) });
  },
  'POST /auth/totp/verify, backup code': async (fixture) => {
    const { challenge, backupCodes } = await strongUser(fixture);
    return post('/auth/totp/verify', { totp_session: challenge, code: backupCodes[0] });
  },
  'POST /account/totp/setup': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const { access_token: token } = await tokensOf(fixture, user);
    return post('/account/totp/setup', { password: user.password }, { token });
  },
  'POST /account/totp/confirm': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const { access_token: token } = await tokensOf(fixture, user);
    const { password } = user;
    const setup = await fixture.world.call<{ secret: string }>('POST', '/account/totp/setup', { password }, { token });
    return post('/account/totp/confirm', { code: codeAt(setup.body.secret) }, { token });
  },
  'POST /account/totp/disable': async (fixture) => {
    const { challenge, secret, backupCodes } = await strongUser(fixture);
    const body = { totp_session: challenge, code: codeAt(secret) };
    const session = sessionOf(await fixture.world.call('POST', '/auth/totp/verify', body));
    return post('/account/totp/disable', { code: backupCodes[0] }, session);
  },
  'POST /account/set-password': async (fixture) => {
    const { ssoCookie } = await signUpUser(fixture.world, await openApp(fixture, 'open'), { password: undefined });
    return post(
      '/account/set-password',
      { password: `a long password ${unique()}` },
      { headers: { Cookie: ssoCookie! } },
    );
  },
  'POST /auth/send-verification': async ({ world, app }) => {
    const user = await world.user(app, { email_verified: false });
    return post('/auth/send-verification', { app_id: app.id }, sessionOf(await world.login(user, app.id)));
  },
  'POST /account/backup-codes': async (fixture) => {
    const { challenge, secret } = await strongUser(fixture);
    const code = codeAt(secret);
    const answer = await fixture.world.call('POST', '/auth/totp/verify', { totp_session: challenge, code });
    return post('/account/backup-codes', { code: nextCode(secret) }, sessionOf(answer));
  },
  'POST /token/exchange': async ({ world, app }) => {
    const code = await newCode(world, app, await world.user(app));
    return post('/token/exchange', { code, app_id: app.id });
  },
  'POST /token/refresh': async (fixture) => {
    const { refresh_token } = await tokensOf(fixture);
    return post('/token/refresh', { refresh_token, app_id: fixture.app.id });
  },
  'POST /token/refresh, replayed': async (fixture) => {
    const { refresh_token } = await tokensOf(fixture);
    const refresh = post('/token/refresh', { refresh_token, app_id: fixture.app.id });
    await fixture.world.call('POST', refresh.path, refresh.body);
    return refresh;
  },
  'POST /token/revoke': async (fixture) => {
    const { refresh_token } = await tokensOf(fixture);
    return post('/token/revoke', { refresh_token });
  },
  'POST /push/devices/register': async ({ world }) => {
    const app = await pushApp(world);
    const { access_token: token } = await world.tokens(await world.user(app), app.id);
    return post('/push/devices/register', { app_id: app.id, platform: 'ios', push_token: fcmToken() }, { token });
  },
  'DELETE /push/devices/{d}': async ({ world }) => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const id = await registerDevice(world, app, user);
    const { access_token: token } = await world.tokens(user, app.id);
    return { method: 'DELETE', path: `/push/devices/${id}`, token };
  },
  'POST /push/send': async ({ world }) => {
    const { app, user_id } = await audience(world);
    return post('/push/send', { user_id, title: 'Hello', body: 'World' }, { token: app.serviceToken });
  },
  'POST /push/send/bulk': async ({ world }) => {
    const { app, user_id } = await audience(world);
    const body = { user_ids: [user_id, user_id], title: 'Hello', body: 'World' };
    return post('/push/send/bulk', body, { token: app.serviceToken });
  },
  'POST /push/send/batch': async ({ world }) => {
    const { app, user_id } = await audience(world);
    const notifications = ['First', 'Second'].map((title) => ({ user_id, title, body: 'World' }));
    return post('/push/send/batch', { notifications }, { token: app.serviceToken });
  },
  'POST /push/send, Idempotency-Key': async ({ world }) => {
    const { app, user_id } = await audience(world);
    const headers = { 'Idempotency-Key': randomUUID() };
    return post('/push/send', { user_id, title: 'Hello', body: 'World' }, { token: app.serviceToken, headers });
  },
};

/** Every request of the JSON API that writes, by name. */
export function apiRequests(): Readonly<Record<string, Preparation>> {
  return { ...OF_USERS, ...OAUTH_REQUESTS, ...PASSKEY_REQUESTS, ...WEBHOOK_REQUESTS, ...ofAdmins() };
}
