import { expect } from '@jest/globals';
import { AppDirectory } from '../../src/apps/directory/app-directory.js';
import { MailLinksService } from '../../src/auth/email-links/mail-links.service.js';
import { RequestedLink } from '../../src/auth/magic-link/requested-link.js';
import { Transactions } from '../../src/database/transactions.js';
import { UsersService } from '../../src/users/users.service.js';
import { sendForm, visitAccount } from './account-visitor.js';
import { codeAt } from './authenticator.js';
import { type HostedAnswer, HostedBrowser, loginPath } from './hosted-page.js';
import { newInvite } from './invites.js';
import { newCode } from './one-time-code.js';
import { providerUser, startPath } from './provider-sign-in.js';
import type { ScriptedOpenId } from './scripted-openid.js';
import { enroll, secretOn, totpSession, verify } from './second-factor.js';
import type { TestApp } from './test-app.js';
import { type Answer, type TestUser, type TestClient, unique, type World } from './world.js';

export interface ProofFixture {
  readonly service: TestApp;
  readonly world: World;
  readonly app: TestClient;
  /** Demands a second factor. */
  readonly strictApp: TestClient;
  readonly google: ScriptedOpenId;
}

/** A way to be given something: everything is ready, and one request is left. */
export interface ProofEndpoint {
  readonly user: TestUser;
  readonly enter: () => Promise<Answer<unknown>>;
  /** What the endpoint says to a proof that is no longer true. */
  readonly refused: (answer: Answer<unknown>) => void;
}

const says = (status: number, detail: unknown) => (answer: Answer<unknown>) =>
  expect([answer.status, (answer.body as { detail?: unknown }).detail]).toEqual([status, detail]);
const leadsTo = (place: RegExp) => (answer: Answer<unknown>) => {
  expect([302, 303]).toContain(answer.status);
  expect((answer as HostedAnswer).location).toMatch(place);
};
const page = (status: number, words: string) => (answer: Answer<unknown>) => {
  expect([answer.status, (answer as HostedAnswer).location]).toEqual([status, null]);
  expect((answer as HostedAnswer).body).toContain(words);
};
const CHANGED = 'Your account changed while you were signing in. Sign in again.';

/** A user with a second factor, and the code that their app shows. */
export async function withFactor({ world, app }: ProofFixture): Promise<{ user: TestUser; code: () => string }> {
  const user = await world.user(app);
  const { secret } = await enroll(world, user, app.id);
  return { user, code: () => codeAt(secret, Date.now() / 1000) };
}

/** A request of the browser's own script, with its SSO cookie. */
function postAs(fixture: ProofFixture, browser: HostedBrowser, path: string, body: object): Promise<Answer<unknown>> {
  return fixture.world.call('POST', path, body, { headers: { Cookie: `sso=${browser.cookie('sso')}` } });
}

/** Back from the provider as this identity. */
export async function fromGoogle({ google }: ProofFixture, browser: HostedBrowser, path: string): Promise<string> {
  return backFromGoogle(google, await browser.get(path, { 'Sec-Fetch-Site': 'same-origin' }));
}

function backFromGoogle(google: ProofFixture['google'], { location }: HostedAnswer): string {
  const sent = new URL(location!).searchParams;
  google.nonce = sent.get('nonce') ?? '';
  return `/oauth/google/callback?${new URLSearchParams({ code: 'code', state: sent.get('state')! }).toString()}`;
}

export const PROOF_ENDPOINTS: Readonly<Record<string, (fixture: ProofFixture) => Promise<ProofEndpoint>>> = {
  'a password over JSON': async ({ world, app }) => {
    const user = await world.user(app);
    return { user, enter: () => world.login(user, app.id), refused: says(401, 'Invalid email or password') };
  },
  'a password over JSON, where a second factor is due': async (fixture) => {
    const { user } = await withFactor(fixture);
    const enter = () => fixture.world.login(user, fixture.app.id);
    return { user, enter, refused: says(401, 'Invalid email or password') };
  },
  'a password over JSON, where a second factor is demanded': async ({ world, strictApp }) => {
    const user = await world.user(strictApp);
    return { user, enter: () => world.login(user, strictApp.id), refused: says(401, 'Invalid email or password') };
  },
  'a second factor over JSON': async (fixture) => {
    const { user, code } = await withFactor(fixture);
    const session = await totpSession(fixture.world, user, fixture.app.id);
    const enter = () => verify(fixture.world, session, code());
    return { user, enter, refused: says(400, 'Invalid or expired TOTP session') };
  },
  'a password on the hosted page': async ({ world, app }) => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const form = await browser.get(loginPath(app));
    const fields = { form_token: form.formToken(), email: user.email, password: user.password };
    const enter = () => browser.post(form.formAction(), fields);
    return { user, enter, refused: page(401, 'Incorrect e-mail address or password. Try again.') };
  },
  'the end of a hosted sign-in': async ({ world, app }) => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const form = await browser.get(loginPath(app));
    const fields = { form_token: form.formToken(), email: user.email, password: user.password };
    const { location } = await browser.post(form.formAction(), fields);
    return { user, enter: () => browser.get(location!), refused: page(200, CHANGED) };
  },
  'an SSO session at another app': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const browser = await visitAccount(fixture.world, user);
    return { user, enter: () => browser.get(loginPath(fixture.app)), refused: page(200, CHANGED) };
  },
  'an SSO session and prompt=none': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const browser = await visitAccount(fixture.world, user);
    const enter = () => browser.get(loginPath(fixture.app, { prompt: 'none' }));
    return { user, enter, refused: leadsTo(/[?&]error=login_required/) };
  },
  'joining an open app': (fixture) => atJoiningPage(fixture, 'open'),
  'a request for access': (fixture) => atJoiningPage(fixture, 'approval'),
  'an invite on the hosted page': (fixture) =>
    atJoiningPage(fixture, 'invite', async (joined) => ({ code: (await newInvite(fixture.world, joined)).code })),
  'a second factor on the hosted page': async (fixture) => {
    const { user, code } = await withFactor(fixture);
    const browser = new HostedBrowser(fixture.world.baseUrl);
    const form = await browser.signIn(loginPath(fixture.app), user.email, user.password);
    const fields = () => ({ form_token: form.formToken(), code: code() });
    return { user, enter: () => browser.submit(form, fields()), refused: page(200, CHANGED) };
  },
  'a one-time code at its exchange': async ({ world, app }) => {
    const user = await world.user(app);
    const code = await newCode(world, app, user);
    const enter = () => world.call('POST', '/token/exchange', { code, app_id: app.id });
    return { user, enter, refused: says(400, 'Invalid or expired code') };
  },
  'a magic link': async ({ service, world, app }) => {
    const member = await world.user(app, { email_verified: true });
    const [links, flow] = [MailLinksService, RequestedLink].map((type) =>
      service.nest.get<unknown>(type, { strict: false }),
    ) as [MailLinksService, RequestedLink];
    const user = await service.nest.get(UsersService, { strict: false }).get(member.id);
    const client = await service.nest.get(AppDirectory, { strict: false }).findOpen(app.id);
    const request = await flow.readRequest(app.id, { redirect_uri: app.redirectUri });
    const link = await service.nest
      .get(Transactions, { strict: false })
      .run((tx) => links.make(tx, 'magic_link', user, client, request));
    const browser = new HostedBrowser(world.baseUrl);
    const form = await browser.magicLinkForm(new URL(link).searchParams.get('token')!);
    const enter = () => browser.sendMagicLinkForm(form);
    return { user: member, enter, refused: leadsTo(/error=invalid_magic_link/) };
  },
  'an external provider': async (fixture) => {
    const user = await fixture.world.user(fixture.app, { email_verified: true });
    fixture.google.user = { ...providerUser(), sub: `sub-${unique()}`, email: user.email, email_verified: true };
    const browser = new HostedBrowser(fixture.world.baseUrl);
    const path = await fromGoogle(fixture, browser, startPath('google', fixture.app));
    const refused = (answer: Answer<unknown>) => {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect((answer as HostedAnswer).body).toContain('Your account has changed since you began to sign in.');
    };
    return { user, enter: () => browser.get(path), refused };
  },
  'an invite accepted in an SSO session': async (fixture) => {
    const { world, app } = fixture;
    const user = await world.user();
    const browser = await visitAccount(world, user);
    const { code } = await newInvite(world, app);
    const enter = () => postAs(fixture, browser, '/auth/accept-invite', { app_id: app.id, invite_code: code });
    return { user, enter, refused: says(401, 'Sign in to accept this invite') };
  },
  'an own new password, which renews the session': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const browser = await visitAccount(fixture.world, user);
    const fields = { current_password: user.password, new_password: `another ${unique()}` };
    const refused = leadsTo(/^\/account\/sign-in\?fresh=1&to=password$/);
    return { user, enter: () => sendForm(browser, '/account/password', fields), refused };
  },
  'a second factor set up, which renews the session': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const browser = await visitAccount(fixture.world, user);
    const { body } = await postAs(fixture, browser, '/account/totp/setup', {});
    const { secret } = body as { secret: string };
    const enter = () => postAs(fixture, browser, '/account/totp/confirm', { code: codeAt(secret, Date.now() / 1000) });
    return { user, enter, refused: says(401, 'Not authenticated') };
  },
  'a second factor set up on the account page': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const browser = await visitAccount(fixture.world, user);
    const form = await browser.get('/account/second-factor');
    const fields = () => ({ form_token: form.formToken(), code: codeAt(secretOn(form)) });
    const refused = leadsTo(/^\/account\/sign-in\?fresh=1&to=second-factor$/);
    return { user, enter: () => browser.post('/account/second-factor', fields()), refused };
  },
  'a set-up token': async ({ world, strictApp }) => {
    const user = await world.user(strictApp);
    const { detail } = (await world.login(user, strictApp.id)).body as { detail?: { setup_token: string } };
    const token = detail!.setup_token;
    const { body } = await world.call<{ secret: string }>('POST', '/account/totp/setup', {}, { token });
    const code = () => codeAt(body.secret, Date.now() / 1000);
    const enter = () => world.call('POST', '/account/totp/confirm', { code: code() }, { token });
    return { user, enter, refused: says(401, 'Not authenticated') };
  },
  'the console, by an SSO session': async ({ world, app }) => {
    const user = await world.tenantAdmin({ id: app.tenantId, name: '', consoleAppId: await consoleOf(world, app) });
    const browser = await visitAccount(world, user);
    return { user, enter: () => browser.get('/console/login'), refused: leadsTo(/^\/login\?/) };
  },
  'a linked account removed': async ({ world, app }) => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const id = await linkGoogle(world, user, `sub-${unique()}`);
    const enter = () => sendForm(browser, `/account/linked-accounts/${id}/remove`);
    return { user, enter, refused: leadsTo(/^\/account\/sign-in\?fresh=1/) };
  },
  'a provider linked to the account': async (fixture) => {
    const user = await fixture.world.user(fixture.app);
    const browser = await visitAccount(fixture.world, user);
    fixture.google.user = { ...providerUser(), sub: `sub-${unique()}` };
    const path = backFromGoogle(fixture.google, await browser.startLinking('google'));
    return { user, enter: () => browser.get(path), refused: page(400, 'This sign-in page has expired') };
  },
};

/** At the page on which a user who is signed in joins such an app, with the form filled in. */
async function atJoiningPage(
  { world, app }: ProofFixture,
  policy: 'open' | 'approval' | 'invite',
  fields: (joined: TestClient) => Promise<Record<string, string>> = () => Promise.resolve({}),
): Promise<ProofEndpoint> {
  const tenant = { id: app.tenantId, name: '', consoleAppId: '' };
  const joined = await world.app(tenant, { registration_policy: policy });
  const user = await world.user(app);
  const browser = await visitAccount(world, user);
  const form = await browser.get(loginPath(joined));
  const typed = await fields(joined);
  return { user, enter: () => browser.submit(form, typed), refused: page(200, CHANGED) };
}

/** @returns the id of the linked account */
export async function linkGoogle(world: World, { id }: TestUser, sub: string): Promise<string> {
  const [row] = await world.sql<{ id: string }>(
    `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'google', $2) RETURNING id`,
    [id, sub],
  );
  return row!.id;
}

async function consoleOf(world: World, { tenantId }: TestClient): Promise<string> {
  const [row] = await world.sql<{ id: string }>('SELECT id FROM apps WHERE tenant_id = $1 AND is_console_app', [
    tenantId,
  ]);
  return row!.id;
}
