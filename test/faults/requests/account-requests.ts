import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { visitAccount } from '../../support/account-visitor.js';
import type { AuthzFixture } from '../../support/authz-fixture.js';
import { codeAt } from '../../support/authenticator.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { newAddress, signUpUser } from '../../support/new-user.js';
import { addPasskey, registrationOptions, TestAuthenticator } from '../../support/passkeys.js';
import { pushApp, registerDevice } from '../../support/push.js';
import { forgetSteps, secretOn } from '../../support/second-factor.js';
import { PASSWORD, type TestUser } from '../../support/world.js';
import { formAt, formOn, type Preparation } from './write-request.js';

const FACTOR = '/account/second-factor';

/** A user whose address is verified, on their account page. */
async function visit({ world, app }: AuthzFixture): Promise<{ browser: HostedBrowser; user: TestUser }> {
  const user = await world.user(app, { email_verified: true });
  return { user, browser: await visitAccount(world, user) };
}

async function visitWhereDeletionIsAllowed({ world }: AuthzFixture) {
  const app = await world.app(await world.tenant({ allow_account_deletion: true }));
  const user = await world.user(app);
  return { user, browser: await visitAccount(world, user) };
}

/** A form of the account page, from its own page where it has one. */
const accountForm =
  (path: string, fields: () => Record<string, string> = () => ({}), from = '/account'): Preparation =>
  async (fixture) =>
    formAt((await visit(fixture)).browser, from, path, fields());

/** The first form of the page whose action ends so. */
async function rowForm(browser: HostedBrowser, pattern: RegExp, from = '/account') {
  const page = await browser.get(from);
  return formOn(browser, page, new RegExp(`action="(${pattern.source})"`).exec(page.body)?.[1] ?? 'no such form');
}

/** Has asked for another address, whose code is known. */
async function changing(fixture: AuthzFixture) {
  const { browser, user } = await visit(fixture);
  const asked = await formAt(browser, '/account/email', '/account/email', { email: newAddress() });
  await browser.post(asked.path, { ...asked.form });
  const [code, token] = ['2345-6789', randomBytes(32).toString('base64url')];
  await fixture.world.sql(
    `UPDATE email_changes SET code_hash = sha256(convert_to(id || ':23456789', 'UTF8')), stop_hash = $2 WHERE user_id = $1`,
    [user.id, createHash('sha256').update(token).digest()],
  );
  return { browser, code, token };
}

/** Has set up a second factor on the account page. */
async function withFactor(fixture: AuthzFixture) {
  const { browser, user } = await visit(fixture);
  const page = await browser.get(FACTOR);
  const secret = secretOn(page);
  const setUp = formOn(browser, page, FACTOR, { code: codeAt(secret) });
  await browser.post(setUp.path, { ...setUp.form });
  await forgetSteps(fixture.world, user);
  return { browser, code: codeAt(secret) };
}

async function withPasskey({ world, app }: AuthzFixture) {
  const browser = await addPasskey(world, await world.user(app), new TestAuthenticator(world.baseUrl));
  const id = /\/account\/passkeys\/([0-9a-f-]{36})/.exec((await browser.get('/account')).body)?.[1];
  return { browser, page: `/account/passkeys/${id}` };
}

/** Every form of the account pages that writes. */
export const ACCOUNT_REQUESTS: Readonly<Record<string, Preparation>> = {
  'POST /account/profile': accountForm('/account/profile', () => ({ display_name: 'Countess' }), '/account/profile'),
  'POST /account/verification': async ({ world, app }) =>
    formAt(
      await visitAccount(world, await world.user(app, { email_verified: false })),
      '/account',
      '/account/verification',
    ),
  'POST /account/password': accountForm(
    '/account/password',
    () => ({ current_password: PASSWORD, new_password: 'an entirely new secret' }),
    '/account/password',
  ),
  'POST /account/first-password': async (fixture) => {
    const open = await fixture.world.app(fixture.tenant, { registration_policy: 'open' });
    const { ssoCookie } = await signUpUser(fixture.world, open, { password: undefined });
    const browser = new HostedBrowser(fixture.world.baseUrl);
    browser.setCookie('sso', ssoCookie!.split('=')[1]!);
    const page = '/account/password';
    return formAt(browser, page, '/account/first-password', { new_password: 'an entirely new secret' });
  },
  'POST /account/email': accountForm('/account/email', () => ({ email: newAddress() }), '/account/email'),
  'POST /account/email/confirm': async (fixture) => {
    const { browser, code } = await changing(fixture);
    return formAt(browser, '/account/email', '/account/email/confirm', { code });
  },
  'POST /account/email/cancel': async (fixture) =>
    formAt((await changing(fixture)).browser, '/account/email', '/account/email/cancel'),
  'POST /email-change/stop': async (fixture) => {
    const { token } = await changing(fixture);
    const browser = new HostedBrowser(fixture.world.baseUrl);
    return formAt(browser, `/email-change?token=${token}`, '/email-change/stop');
  },
  'POST /account/passkey-recovery/stop': async ({ world }) => {
    // A wait is shown where a tenant lets users wait.
    const tenant = await world.tenant({ passkey_recovery_days: 3 });
    const user = await world.user(await world.app(tenant, { config: { require_2fa: true } }));
    const browser = await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    await world.sql('INSERT INTO passkey_recoveries (user_id, stop_hash) VALUES ($1, $2)', [user.id, randomBytes(32)]);
    return formAt(browser, '/account', '/account/passkey-recovery/stop');
  },
  'POST /new-credential/stop': async ({ world, app }) => {
    const [user, token] = [await world.user(app), randomBytes(32).toString('base64url')];
    await world.sql(
      `INSERT INTO credential_notices (stop_hash, user_id, email, expires_at)
       VALUES (sha256($2), $1, $3, now() + interval '1 day')`,
      [user.id, Buffer.from(token), user.email],
    );
    return formAt(new HostedBrowser(world.baseUrl), `/new-credential?token=${token}`, '/new-credential/stop');
  },
  'POST /passkey-recovery/stop': async ({ world, app }) => {
    const [user, token] = [await world.user(app), randomBytes(32).toString('base64url')];
    await world.sql('INSERT INTO passkey_recoveries (user_id, stop_hash) VALUES ($1, sha256($2))', [
      user.id,
      Buffer.from(token),
    ]);
    return formAt(new HostedBrowser(world.baseUrl), `/passkey-recovery?token=${token}`, '/passkey-recovery/stop');
  },
  'POST /account/second-factor': async (fixture) => {
    const { browser } = await visit(fixture);
    const page = await browser.get(FACTOR);
    return formOn(browser, page, FACTOR, { code: codeAt(secretOn(page)) });
  },
  'POST /account/second-factor/remove': async (fixture) => {
    const { browser, code } = await withFactor(fixture);
    return formAt(browser, `${FACTOR}/remove`, `${FACTOR}/remove`, { code });
  },
  'POST /account/second-factor/codes': async (fixture) => {
    const { browser, code } = await withFactor(fixture);
    return formAt(browser, `${FACTOR}/codes`, `${FACTOR}/codes`, { code });
  },
  'POST /account/passkeys': async (fixture) => {
    const { browser } = await visit(fixture);
    const credential = new TestAuthenticator(fixture.world.baseUrl).create(await registrationOptions(browser));
    return formAt(browser, '/account/passkeys/new', '/account/passkeys', { credential });
  },
  'POST /account/passkeys/{id}': async (fixture) => {
    const { browser, page } = await withPasskey(fixture);
    return formAt(browser, page, page, { name: 'Phone' });
  },
  'POST /account/passkeys/{id}/remove': async (fixture) => {
    const { browser, page } = await withPasskey(fixture);
    return formAt(browser, page, `${page}/remove`);
  },
  'POST /account/sessions/{id}/end': async (fixture) => {
    const { browser, user } = await visit(fixture);
    await visitAccount(fixture.world, user);
    return rowForm(browser, /\/account\/sessions\/[0-9a-f-]+\/end/);
  },
  'POST /account/sessions/end-others': async (fixture) => {
    const { browser, user } = await visit(fixture);
    await visitAccount(fixture.world, user);
    return formAt(browser, '/account', '/account/sessions/end-others');
  },
  'POST /account/apps/{id}/end': async ({ world, app }) => {
    const user = await world.user(app);
    await world.tokens(user, app.id, { device_id: 'pixel-8' });
    // What is left of it is the sign-in of an app alone.
    await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1', [user.id]);
    return rowForm(await visitAccount(world, user), /\/account\/apps\/[0-9a-f-]+\/end/);
  },
  'POST /account/apps/{id}/leave': async (fixture) => {
    const { browser } = await visit(fixture);
    const page = `/account/apps/${fixture.app.id}/leave`;
    return formAt(browser, page, page);
  },
  'POST /account/apps/{id}/consent/revoke': async (fixture) => {
    const { browser, user } = await visit(fixture);
    await fixture.world.sql(
      `INSERT INTO consents (user_id, app_id, resource, scopes, asked) VALUES ($1, $2, '', '{openid}', '{openid}')`,
      [user.id, fixture.app.id],
    );
    return rowForm(browser, /\/account\/apps\/[0-9a-f-]+\/consent\/revoke/);
  },
  'POST /account/linked-accounts/{id}/remove': async (fixture) => {
    const { browser, user } = await visit(fixture);
    await fixture.world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'github', $2)`,
      [user.id, randomUUID()],
    );
    return rowForm(browser, /\/account\/linked-accounts\/[0-9a-f-]+\/remove/);
  },
  'POST /account/push-devices/{id}/remove': async ({ world }) => {
    const app = await pushApp(world);
    const user = await world.user(app);
    await registerDevice(world, app, user);
    return rowForm(await visitAccount(world, user), /\/account\/push-devices\/[0-9a-f-]+\/remove/);
  },
  'POST /account/delete': async (fixture) => {
    const { browser, user } = await visitWhereDeletionIsAllowed(fixture);
    return formAt(browser, '/account/delete', '/account/delete', { email: user.email });
  },
  'POST /account/delete/cancel': async (fixture) => {
    const { browser, user } = await visitWhereDeletionIsAllowed(fixture);
    const asked = await formAt(browser, '/account/delete', '/account/delete', { email: user.email });
    await browser.post(asked.path, { ...asked.form });
    return formAt(browser, '/account/delete', '/account/delete/cancel');
  },
  'POST /account/export': accountForm('/account/export'),
  'POST /account/sign-out': accountForm('/account/sign-out'),
};
