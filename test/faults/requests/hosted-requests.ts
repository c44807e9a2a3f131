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

/** A member of the stage's app, who arrives at another one. */
async function arrive(stage: AuthzFixture, app: TestClient, parameters: Record<string, string> = {}) {
  const browser = newBrowser(stage);
  const { email, password } = await stage.world.user(stage.app);
  return { browser, page: await browser.signIn(loginPath(app, parameters), email, password) };
}

/** Sign-in, joining and sign-out on hosted pages, and the pages behind mailed links. */
export const HOSTED_REQUESTS: Readonly<Record<string, Preparation>> = {
  'GET /login': (stage) => Promise.resolve(follow(newBrowser(stage), loginPath(stage.app))),
  'POST /sign-in, password': async (stage) => {
    const browser = newBrowser(stage);
    const { email, password } = await stage.world.user(stage.app);
    return onlyForm(browser, await browser.get(loginPath(stage.app)), { email, password });
  },
  'GET /sign-in, the end': async (stage) => {
    const browser = newBrowser(stage);
    const { email, password } = await stage.world.user(stage.app);
    const page = await browser.get(loginPath(stage.app));
    const { location } = await browser.post(page.formAction(), { form_token: page.formToken(), email, password });
    return follow(browser, location!);
  },
  'GET /login, with an SSO session': async (stage) => {
    const browser = await visitAccount(stage.world, await stage.world.user(stage.app));
    return follow(browser, loginPath(stage.app));
  },
  'POST /sign-in, second factor': async (stage) => {
    const user = await stage.world.user(stage.app);
    const { secret } = await enroll(stage.world, user, stage.app.id);
    const browser = newBrowser(stage);
    const page = await browser.signIn(loginPath(stage.app), user.email, user.password);
    return onlyForm(browser, page, { code: codeAt(secret) });
  },
  'POST /sign-in, passkey': async (stage) => {
    const { world, tenant } = stage;
    const app = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
    const device = new TestAuthenticator(world.baseUrl);
    await addPasskey(world, await world.user(app), device);
    const { browser, page, path } = await SignInPage.open(newBrowser(stage), loginPath(app));
    const options = await browser.post(`${path}/passkey/options`, { form_token: page.formToken() });
    const credential = device.get(JSON.parse(options.body) as Parameters<typeof device.get>[0]);
    return { ...formOn(browser, page, `${path}/passkey`, {}), form: { form_token: page.formToken(), credential } };
  },
  'POST /sign-in, options for a passkey': async (stage) => {
    const { world, tenant } = stage;
    const app = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
    const { browser, page, path } = await SignInPage.open(newBrowser(stage), loginPath(app));
    const options = `${path}/passkey/options`;
    return { ...formOn(browser, page, options, {}), form: { form_token: page.formToken() } };
  },
  'POST /sign-in, other account': async (stage) => {
    const { browser, page } = await arrive(stage, await openApp(stage, 'open'));
    return formOn(browser, page, page.formAction().replace(/join$/, 'other-account'));
  },
  'POST /sign-in, sign up': async (stage) => {
    const browser = newBrowser(stage);
    const login = await browser.get(loginPath(await openApp(stage, 'open')));
    const page = await toStep(browser, login, 'sign_up');
    return onlyForm(browser, page, { email: newAddress(), display_name: 'Grace', password: PASSWORD });
  },
  'POST /sign-in, join': async (stage) => {
    const { browser, page } = await arrive(stage, await openApp(stage, 'open'));
    return onlyForm(browser, page);
  },
  'POST /sign-in, request access': async (stage) => {
    const { browser, page } = await arrive(stage, await openApp(stage, 'approval'));
    return onlyForm(browser, page, { message: 'It is me.' });
  },
  'POST /sign-in, invite': async (stage) => {
    const app = await openApp(stage, 'invite');
    const { code } = await newInvite(stage.world, app);
    const { browser, page } = await arrive(stage, app, { invite_code: code });
    return onlyForm(browser, page, { code });
  },
  'POST /sign-in, forgot': async (stage) => {
    const browser = newBrowser(stage);
    const { email } = await stage.world.user(stage.app);
    const page = await toStep(browser, await browser.get(loginPath(stage.app)), 'forgot');
    return onlyForm(browser, page, { email });
  },
  'POST /device': async (stage) => {
    const { user_code } = await beginDevice(stage.world, await deviceApp(stage.world, stage.tenant));
    return formAt(newBrowser(stage), '/device', '/device', { user_code });
  },
  'POST /sign-in, allow a device': async (stage) => {
    const { browser, page } = await compare(stage);
    return onlyForm(browser, page, { answer: 'allow' });
  },
  'POST /sign-in, deny a device': async (stage) => {
    const { browser, page } = await compare(stage);
    return onlyForm(browser, page, { answer: 'deny' });
  },
  'GET /sign-in, the end for a device': async (stage) => {
    const { browser, page } = await compare(stage);
    const form = { ...page.hiddenFields(), answer: 'allow' };
    const { location } = await browser.post(page.formAction(), form);
    return follow(browser, location!);
  },
  'POST /reset-password': async (stage) => {
    const { world, app } = stage;
    const token = await mailedLink(world, await world.user(app), app, 'reset_password');
    const browser = newBrowser(stage);
    return onlyForm(browser, await browser.get(`/reset-password?token=${token}`), {
      password: 'an entirely new secret',
    });
  },
  'GET /auth/verify-email': async (stage) => {
    const { world, app } = stage;
    const token = await mailedLink(world, await world.user(app, { email_verified: false }), app, 'verify_email');
    return follow(newBrowser(stage), `/auth/verify-email?token=${token}`);
  },
  'POST /verify-email/not-me': async (stage) => {
    const { world } = stage;
    const app = await openApp(stage, 'open');
    const token = await mailedLink(world, await signUpUser(world, app), app, 'verify_email');
    return formAt(newBrowser(stage), `/verify-email?token=${token}`, '/verify-email/not-me');
  },
  'GET /auth/magic-link/verify': async (stage) => {
    const { world, app } = stage;
    const user = await world.user(app, { email_verified: true });
    const token = await mailedLink(world, user, app, 'magic_link');
    const browser = newBrowser(stage);
    return follow(browser, `/auth/magic-link/verify?${await browser.magicLinkForm(token)}`);
  },
  'POST /magic-link/again': async (stage) => {
    const { world, app } = stage;
    const token = await mailedLink(world, await world.user(app, { email_verified: true }), app, 'magic_link');
    await world.sql("UPDATE mail_links SET expires_at = now() - interval '1 second' WHERE token_hash = $1", [
      createHash('sha256').update(token).digest(),
    ]);
    return formAt(newBrowser(stage), `/magic-link?token=${token}`, '/magic-link/again');
  },
  'POST /logout/confirm': async (stage) => {
    const browser = await visitAccount(stage.world, await stage.world.user(stage.app));
    return formAt(browser, '/logout', '/logout/confirm');
  },
};
