import { createHash } from 'node:crypto';
import { codeAt } from '../../support/authenticator.js';
import type { AuthzFixture } from '../../support/authz-fixture.js';
import { visitAccount } from '../../support/account-visitor.js';
import { beginDevice, deviceApp, reachApproval } from '../../support/device-grant.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { newAddress, signUpUser } from '../../support/new-user.js';
import { addPasskey, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { enroll } from '../../support/second-factor.js';
import { PASSWORD, type TestClient } from '../../support/world.js';
import { mailedLink } from '../../support/mailed-link.js';
import { follow, formAt, formOn, type Preparation, type WriteRequest } from './write-request.js';

const newBrowser = ({ world }: AuthzFixture): HostedBrowser => new HostedBrowser(world.baseUrl);

function openApp({ world, tenant }: AuthzFixture, policy: string): Promise<TestClient> {
  return world.app(tenant, { registration_policy: policy });
}

/** The form of a page that asks for one thing. */
const onlyForm = (browser: HostedBrowser, page: HostedAnswer, fields: Record<string, string> = {}): WriteRequest =>
  formOn(browser, page, page.formAction(), fields);

/** A link of the sign-in page to another step. */
async function toStep(browser: HostedBrowser, page: HostedAnswer, step: string): Promise<HostedAnswer> {
  const path = new RegExp(`(?:href|formaction)="(/sign-in/[^"]+/${step})"`).exec(page.body)?.[1];
  return browser.get(path ?? `/no-link-to-${step}`);
}

/** A member of an app, who compares the code of a device. */
async function compare({ world, tenant }: AuthzFixture) {
  const app = await deviceApp(world, tenant);
  return reachApproval(world, await world.user(app), await beginDevice(world, app));
}

/** A member of the fixture's app, who arrives at another one. */
async function arrive(fixture: AuthzFixture, app: TestClient, parameters: Record<string, string> = {}) {
  const browser = newBrowser(fixture);
  const { email, password } = await fixture.world.user(fixture.app);
  return { browser, page: await browser.signIn(loginPath(app, parameters), email, password) };
}

/** Sign-in, joining and sign-out on hosted pages, and the pages behind mailed links. */
export const HOSTED_REQUESTS: Readonly<Record<string, Preparation>> = {
  'GET /login': (fixture) => Promise.resolve(follow(newBrowser(fixture), loginPath(fixture.app))),
  'POST /sign-in, password': async (fixture) => {
    const browser = newBrowser(fixture);
    const { email, password } = await fixture.world.user(fixture.app);
    return onlyForm(browser, await browser.get(loginPath(fixture.app)), { email, password });
  },
  'GET /sign-in, the end': async (fixture) => {
    const browser = newBrowser(fixture);
    const { email, password } = await fixture.world.user(fixture.app);
    const page = await browser.get(loginPath(fixture.app));
    const { location } = await browser.post(page.formAction(), { form_token: page.formToken(), email, password });
    return follow(browser, location!);
  },
  'GET /login, with an SSO session': async (fixture) => {
    const browser = await visitAccount(fixture.world, await fixture.world.user(fixture.app));
    return follow(browser, loginPath(fixture.app));
  },
  'POST /sign-in, second factor': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const { secret } = await enroll(fixture.world, user, fixture.app.id);
    const browser = newBrowser(fixture);
    const page = await browser.signIn(loginPath(fixture.app), user.email, user.password);
    return onlyForm(browser, page, { code: codeAt(secret) });
  },
  'POST /sign-in, passkey': async (fixture) => {
    const { world, tenant } = fixture;
    const app = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
    const device = new TestAuthenticator(world.baseUrl);
    await addPasskey(world, await world.user(app), device);
    const { browser, page, path } = await SignInPage.open(newBrowser(fixture), loginPath(app));
    const options = await browser.post(`${path}/passkey/options`, { form_token: page.formToken() });
    const credential = device.get(JSON.parse(options.body) as Parameters<typeof device.get>[0]);
    return { ...formOn(browser, page, `${path}/passkey`, {}), form: { form_token: page.formToken(), credential } };
  },
  'POST /sign-in, options for a passkey': async (fixture) => {
    const { world, tenant } = fixture;
    const app = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
    const { browser, page, path } = await SignInPage.open(newBrowser(fixture), loginPath(app));
    const options = `${path}/passkey/options`;
    return { ...formOn(browser, page, options, {}), form: { form_token: page.formToken() } };
  },
  'POST /sign-in, other account': async (fixture) => {
    const { browser, page } = await arrive(fixture, await openApp(fixture, 'open'));
    return formOn(browser, page, page.formAction().replace(/join$/, 'other-account'));
  },
  'POST /sign-in, sign up': async (fixture) => {
    const browser = newBrowser(fixture);
    const login = await browser.get(loginPath(await openApp(fixture, 'open')));
    const page = await toStep(browser, login, 'sign_up');
    return onlyForm(browser, page, { email: newAddress(), display_name: 'Grace', password: PASSWORD });
  },
  'POST /sign-in, join': async (fixture) => {
    const { browser, page } = await arrive(fixture, await openApp(fixture, 'open'));
    return onlyForm(browser, page);
  },
  'POST /sign-in, request access': async (fixture) => {
    const { browser, page } = await arrive(fixture, await openApp(fixture, 'approval'));
    return onlyForm(browser, page, { message: 'It is me.' });
  },
  'POST /sign-in, invite': async (fixture) => {
    const app = await openApp(fixture, 'invite');
    const { code } = await newInvite(fixture.world, app);
    const { browser, page } = await arrive(fixture, app, { invite_code: code });
    return onlyForm(browser, page, { code });
  },
  'POST /sign-in, forgot': async (fixture) => {
    const browser = newBrowser(fixture);
    const { email } = await fixture.world.user(fixture.app);
    const page = await toStep(browser, await browser.get(loginPath(fixture.app)), 'forgot');
    return onlyForm(browser, page, { email });
  },
  'POST /device': async (fixture) => {
    const { user_code } = await beginDevice(fixture.world, await deviceApp(fixture.world, fixture.tenant));
    return formAt(newBrowser(fixture), '/device', '/device', { user_code });
  },
  'POST /sign-in, allow a device': async (fixture) => {
    const { browser, page } = await compare(fixture);
    return onlyForm(browser, page, { answer: 'allow' });
  },
  'POST /sign-in, deny a device': async (fixture) => {
    const { browser, page } = await compare(fixture);
    return onlyForm(browser, page, { answer: 'deny' });
  },
  'GET /sign-in, the end for a device': async (fixture) => {
    const { browser, page } = await compare(fixture);
    const form = { ...page.hiddenFields(), answer: 'allow' };
    const { location } = await browser.post(page.formAction(), form);
    return follow(browser, location!);
  },
  'POST /reset-password': async (fixture) => {
    const { world, app } = fixture;
    const token = await mailedLink(world, await world.user(app), app, 'reset_password');
    const browser = newBrowser(fixture);
    return onlyForm(browser, await browser.get(`/reset-password?token=${token}`), {
      password: 'an entirely new secret',
    });
  },
  'GET /auth/verify-email': async (fixture) => {
    const { world, app } = fixture;
    const token = await mailedLink(world, await world.user(app, { email_verified: false }), app, 'verify_email');
    return follow(newBrowser(fixture), `/auth/verify-email?token=${token}`);
  },
  'POST /verify-email/not-me': async (fixture) => {
    const { world } = fixture;
    const app = await openApp(fixture, 'open');
    const token = await mailedLink(world, await signUpUser(world, app), app, 'verify_email');
    return formAt(newBrowser(fixture), `/verify-email?token=${token}`, '/verify-email/not-me');
  },
  'GET /auth/magic-link/verify': async (fixture) => {
    const { world, app } = fixture;
    const user = await world.user(app, { email_verified: true });
    const token = await mailedLink(world, user, app, 'magic_link');
    const browser = newBrowser(fixture);
    return follow(browser, `/auth/magic-link/verify?${await browser.magicLinkForm(token)}`);
  },
  'POST /magic-link/again': async (fixture) => {
    const { world, app } = fixture;
    const token = await mailedLink(world, await world.user(app, { email_verified: true }), app, 'magic_link');
    await world.sql("UPDATE mail_links SET expires_at = now() - interval '1 second' WHERE token_hash = $1", [
      createHash('sha256').update(token).digest(),
    ]);
    return formAt(newBrowser(fixture), `/magic-link?token=${token}`, '/magic-link/again');
  },
  'POST /logout/confirm': async (fixture) => {
    const browser = await visitAccount(fixture.world, await fixture.world.user(fixture.app));
    return formAt(browser, '/logout', '/logout/confirm');
  },
};
