import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LinkedAccountsService } from '../../../src/auth/providers/linked/linked-accounts.service.js';
import { Transactions } from '../../../src/database/transactions.js';
import { systemContext } from '../../../src/common/request-context.js';
import { type HostedAnswer, HostedBrowser, loginPath, unescapeHtml } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { signUpUser } from '../../support/new-user.js';
import { addPasskey, passkeySettings, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { DECEPTIVE_SPELLINGS } from '../../support/deceptive-addresses.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { GithubPeer } from '../../support/servers/github-peer.js';
import { linkIn } from '../../support/smtp.js';
import { PASSWORD, type TestUser, type TestClient, unique, type World } from '../../support/world.js';

const REDIRECT = 'https://shop.example/cb';
const CHANGED = 'The sign-in methods of your account were changed';

type Which = 'google' | 'microsoft' | 'github';

// security 28, 36, 37.
describe('Account that an external identity opens', () => {
  let google: ScriptedOpenId;
  let github: GithubPeer;
  let mailing: MailingService;
  let world: World;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    [google, github] = await Promise.all([ScriptedOpenId.start(), GithubPeer.start()]);
    const providers = { google: google.settings, microsoft: google.settings, github: github.settings, apple: null };
    mailing = await startMailingService({ providers, ...(await passkeySettings()) });
    world = mailing.world;
    const allowed = ['password', 'magic_link', 'passkey', 'google', 'microsoft', 'github'];
    const config = { redirect_uris: [REDIRECT], allowed_providers: allowed };
    app = {
      ...(await world.app(await world.tenant(), { registration_policy: 'open', config })),
      redirectUri: REDIRECT,
    };
  });

  afterAll(async () => {
    await mailing.close();
    await Promise.all([google.close(), github.close()]);
  });

  beforeEach(() => {
    browser = new HostedBrowser(world.baseUrl);
  });

  /** Signed in at the provider as that address, verified there or not. @returns the subject */
  const becomeAt = (provider: Which, email: string, verified: boolean): string => {
    const subject = provider === 'github' ? String(Math.floor(Math.random() * 2 ** 40) + 1) : `sub-${unique()}`;
    if (provider === 'github')
      github.signInAs({ id: Number(subject), login: 'ada', emails: [{ email, primary: true, verified }] });
    else google.user = { ...providerUser(), sub: subject, email, email_verified: verified };
    return subject;
  };

  const trip = async (provider: Which, on = browser): Promise<HostedAnswer> =>
    back(provider, on, await on.get(startPath(provider, app), { 'Sec-Fetch-Site': 'same-origin' }));

  const linkBy = async (provider: Which, on: HostedBrowser): Promise<HostedAnswer> =>
    back(provider, on, await on.startLinking(provider));

  const back = async (provider: Which, on: HostedBrowser, { location }: HostedAnswer): Promise<HostedAnswer> => {
    const sent = new URL(location!).searchParams;
    google.nonce = sent.get('nonce') ?? '';
    let code = 'code';
    if (provider === 'github') {
      const authorized = await fetch(location!, { redirect: 'manual' });
      code = new URL(authorized.headers.get('location')!).searchParams.get('code')!;
    }
    const query = new URLSearchParams({ code, state: sent.get('state')! });
    return follow(on, await on.get(`/oauth/${provider}/callback?${query.toString()}`));
  };

  const linksOf = (userId: string) =>
    world.sql<{ provider: string; subject: string }>(
      'SELECT provider, subject FROM linked_accounts WHERE user_id = $1 ORDER BY linked_at',
      [userId],
    );

  /** An address that the database takes no more. */
  const asBefore = (userId: string, email: string) =>
    world.sql(
      `WITH off AS (SELECT set_config('session_replication_role', 'replica', true))
       UPDATE users SET email = $2 FROM off WHERE id = $1`,
      [userId, email],
    );

  const local = async (verified: boolean): Promise<TestUser> => world.user(app, { email_verified: verified });

  describe.each(['google', 'microsoft', 'github'] as const)('at %s', (provider) => {
    it.each([
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ])('whose address is verified there: %s, and here: %s', async (there, here) => {
      const user = await local(here);
      const subject = becomeAt(provider, user.email.toUpperCase(), there);
      const answer = await trip(provider);
      if (there && here && provider !== 'microsoft') {
        expect(answer.delivered.get('code')).toBeTruthy();
        expect(await linksOf(user.id)).toEqual([{ provider, subject }]);
        const mail = await mailing.smtp.next(user.email, CHANGED);
        expect(mail.text).toMatch(/(Google|GitHub) can now be used to sign in/);
        return;
      }
      expect([answer.status, answer.location]).toEqual([403, null]);
      expect(answer.body).toContain('You have an account already');
      expect(answer.body).toContain('href="/account"');
      expect(browser.cookie('sso')).toBeUndefined();
      expect(await linksOf(user.id)).toEqual([]);
      expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [subject])).toEqual([]);
      const [entry] = await world.sql<{ metadata: object }>(
        `SELECT metadata FROM audit_entries WHERE action = 'user.login_failed' ORDER BY created_at DESC LIMIT 1`,
      );
      expect(entry!.metadata).toEqual({ reason: 'account_not_linked', method: provider });
      expect(mailing.smtp.to(user.email)).toEqual([]);
    });
  });

  it.each(DECEPTIVE_SPELLINGS)('does not exist for an address with %s, verified or not', async (_what, spell) => {
    const user = await world.user(app, { email: `nifi.s-${unique()}@example.com`, email_verified: true });
    const subject = becomeAt('google', spell(user.email), true);
    const answer = await trip('google');
    expect([answer.status, answer.location]).toEqual([403, null]);
    expect(answer.body).toContain('The e-mail address of your Google account cannot be used here');
    expect(browser.cookie('sso')).toBeUndefined();
    const users = `SELECT email FROM users WHERE email LIKE '%' || right($1, 22)`;
    expect(await world.sql(users, [user.email])).toEqual([{ email: user.email }]);
    expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [subject])).toEqual([]);
    const [entry] = await world.sql<{ metadata: object }>(
      `SELECT metadata FROM audit_entries WHERE action = 'user.login_failed' ORDER BY created_at DESC LIMIT 1`,
    );
    expect(entry!.metadata).toEqual({ reason: 'unusable_email', method: 'google' });
  });

  it('is the linked one, even if the provider sends another address', async () => {
    const email = `nifi.s-${unique()}@example.com`;
    const subject = becomeAt('google', email, true);
    await trip('google');
    google.user = { ...google.user, email: email.replace('s', '\u017f') };
    expect((await trip('google', new HostedBrowser(world.baseUrl))).delivered.get('code')).toBeTruthy();
    const linked = await world.sql('SELECT email FROM linked_accounts WHERE subject = $1', [subject]);
    expect(linked).toEqual([{ email }]);
  });

  it('is not one with a deceptive address from before such addresses were rejected, even if verified', async () => {
    const plain = `nifi.s-${unique()}@example.com`;
    const deceptive = await world.user(app, { email: plain, email_verified: true });
    await asBefore(deceptive.id, plain.replace('s', '\u017f'));
    becomeAt('google', plain, true);
    expect((await trip('google')).status).toBe(403);
    expect(await linksOf(deceptive.id)).toEqual([]);
  });

  it('stays the same when the address at the provider changes, even to another account’s address', async () => {
    const subject = becomeAt('google', `first-${unique()}@example.com`, true);
    await trip('google');
    const [before] = await world.sql<{ user_id: string; email: string }>(
      'SELECT user_id, email FROM linked_accounts WHERE subject = $1',
      [subject],
    );
    const other = await local(true);
    google.user = { ...google.user, email: other.email };
    const again = new HostedBrowser(world.baseUrl);
    const answer = await trip('google', again);
    expect(answer.delivered.get('code')).toBeTruthy();
    expect(await linksOf(other.id)).toEqual([]);
    const [after] = await world.sql('SELECT user_id, email FROM linked_accounts WHERE subject = $1', [subject]);
    expect(after).toEqual(before);
    const [session] = await world.sql<{ user_id: string }>(
      'SELECT user_id FROM sso_sessions ORDER BY created_at DESC LIMIT 1',
    );
    expect(session!.user_id).toBe(before!.user_id);
  });

  it('differs for another subject with the same address', async () => {
    const first = becomeAt('google', `twin-${unique()}@example.com`, true);
    await trip('google');
    const { email } = google.user as { email: string };
    const second = becomeAt('google', email, false);
    expect((await trip('google', new HostedBrowser(world.baseUrl))).status).toBe(403);
    expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject IN ($1, $2)', [first, second])).toHaveLength(1);
  });

  it('differs by provider: one subject at two providers opens two accounts', async () => {
    const subject = becomeAt('google', `one-${unique()}@example.com`, true);
    await trip('google');
    google.user = { ...google.user, email: `two-${unique()}@example.com` };
    await trip('microsoft', new HostedBrowser(world.baseUrl));
    const rows = await world.sql('SELECT DISTINCT user_id FROM linked_accounts WHERE subject = $1', [subject]);
    expect(rows).toHaveLength(2);
  });

  it('is new for an address that Microsoft names, which stays unverified', async () => {
    const subject = becomeAt('microsoft', `new-${unique()}@example.com`, true);
    await trip('microsoft');
    const [user] = await world.sql<{ email: string; email_verified: boolean }>(
      `SELECT u.email, u.email_verified FROM users u JOIN linked_accounts l ON l.user_id = u.id WHERE l.subject = $1`,
      [subject],
    );
    expect(user!.email_verified).toBe(false);
    await mailing.smtp.next(user!.email, 'Confirm your e-mail address');
  });

  it.each([
    ['no address', undefined],
    ['what is no address', 'ada@localhost, evil@example.com'],
  ])('does not exist if the provider sends %s', async (_, email) => {
    google.user = { ...providerUser(), email };
    const answer = await trip('google');
    expect([answer.status, answer.body.includes('didn’t share your e-mail address')]).toEqual([403, true]);
    expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [google.user['sub']])).toEqual([]);
  });

  it.each([undefined, 'undefined', null, 0, -1, '7', 1.5, {}])(
    'does not exist if GitHub returns the id %j',
    async (id) => {
      github.signInAs({ id, emails: [{ email: `id-${unique()}@example.com`, primary: true, verified: true }] });
      expect((await trip('github')).delivered.get('error')).toBe('provider_error');
    },
  );

  it('is verified only by the primary address of GitHub', async () => {
    const user = await local(true);
    const emails = [
      { email: user.email, primary: false, verified: true },
      { email: `own-${unique()}@example.com`, primary: true, verified: true },
    ];
    github.signInAs({ id: Math.floor(Math.random() * 2 ** 40) + 1, login: 'eve', emails });
    expect((await trip('github')).delivered.get('code')).toBeTruthy();
    expect(await linksOf(user.id)).toEqual([]);
  });

  it('loses the identity and all else when the owner of a never-verified mailbox signs in', async () => {
    const squatter = await signUpUser(world, app);
    const attacker = new HostedBrowser(world.baseUrl);
    await attacker.signIn(loginPath(app), squatter.email, squatter.password);
    const subject = becomeAt('google', `attacker-${unique()}@example.com`, true);
    await linkBy('google', attacker);
    expect(await linksOf(squatter.id)).toHaveLength(1);
    const asked = { email: squatter.email, app_id: app.id, redirect_uri: REDIRECT };
    await world.call('POST', '/auth/magic-link/request', asked);
    const { token } = linkIn(await mailing.smtp.next(squatter.email, 'Your sign-in link'));
    const owner = new HostedBrowser(world.baseUrl);
    await follow(owner, await owner.useMagicLink(token));
    expect(await linksOf(squatter.id)).toEqual([]);
    const again = new HostedBrowser(world.baseUrl);
    await trip('google', again);
    const [row] = await world.sql<{ user_id: string }>('SELECT user_id FROM linked_accounts WHERE subject = $1', [
      subject,
    ]);
    expect(row?.user_id).not.toBe(squatter.id);
  });

  it('is not the linked one if its owner removes the link during the sign-in', async () => {
    const squatter = await signUpUser(world, app);
    const attacker = new HostedBrowser(world.baseUrl);
    await attacker.signIn(loginPath(app), squatter.email, squatter.password);
    becomeAt('google', `attacker-${unique()}@example.com`, true);
    await linkBy('google', attacker);
    const asked = { email: squatter.email, app_id: app.id, redirect_uri: REDIRECT };
    await world.call('POST', '/auth/magic-link/request', asked);
    const { token } = linkIn(await mailing.smtp.next(squatter.email, 'Your sign-in link'));
    const owner = new HostedBrowser(world.baseUrl);
    // Between two statements of the sign-in: the link has been read, the account has not.
    const linked = mailing.service.nest.get(LinkedAccountsService, { strict: false });
    const find = linked.findUserId.bind(linked);
    let comes = true;
    linked.findUserId = async (identity, tx) => {
      const found = await find(identity, tx);
      if (tx && comes) {
        comes = false;
        await follow(owner, await owner.useMagicLink(token));
      }
      return found;
    };
    const again = new HostedBrowser(world.baseUrl);
    const answer = await trip('google', again).finally(() => (linked.findUserId = find));
    expect(comes).toBe(false);
    expect([answer.status, answer.body.includes('Sign in again'), again.cookie('sso')]).toEqual([403, true, undefined]);
    expect([owner.cookie('sso'), await linksOf(squatter.id)]).toEqual([expect.any(String), []]);
  });

  // security 28
  describe('at the first verification of the address', () => {
    const SENT = 'Confirm your e-mail address';

    /** All credentials that a person who knows the password can add. */
    const settleIn = async (user: TestUser) => {
      const device = new TestAuthenticator(world.baseUrl);
      const theirs = await addPasskey(world, user, device);
      const subject = becomeAt('github', `stranger-${unique()}@example.com`, true);
      await linkBy('github', theirs);
      expect(await linksOf(user.id)).toEqual([{ provider: 'github', subject }]);
      return { user, device, theirs, refresh: (await world.tokens(user, app.id)).refresh_token };
    };

    type Settled = Awaited<ReturnType<typeof settleIn>>;

    /** Which of them still open the account. */
    const waysOf = async ({ user, device, theirs, refresh }: Settled) => {
      const page = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
      const delivers = ({ location }: HostedAnswer) => Boolean(location?.includes('code='));
      await trip('github', new HostedBrowser(world.baseUrl));
      const refreshed = await world.call('POST', '/token/refresh', { refresh_token: refresh, app_id: app.id });
      const ways = {
        password: (await world.login(user, app.id)).status === 200,
        passkey: delivers(await page.use(device)),
        identity: (await linksOf(user.id)).length > 0,
        session: delivers(await theirs.get(loginPath(app))),
        refresh: refreshed.status === 200,
      };
      return Object.entries(ways).flatMap(([way, opens]) => (opens ? [way] : []));
    };

    const mailed = async (user: TestUser, hasSignedUp = false) => {
      if (hasSignedUp) return linkIn(await mailing.smtp.next(user.email, SENT));
      const cookie = (await world.login(user, app.id)).headers.getSetCookie().find((line) => line.includes('sso='));
      const headers = { Cookie: cookie!.split(';')[0]! };
      await world.call('POST', '/auth/send-verification', { app_id: app.id }, { headers });
      return linkIn(await mailing.smtp.next(user.email, SENT));
    };

    const byServer = async (): Promise<TestUser> => {
      const email = `victim-${unique()}@example.com`;
      const fields = { email, display_name: 'Mallory’s Choice', password: PASSWORD };
      const made = await world.call<{ id: string }>('POST', '/admin/users', fields, {
        token: await world.serviceToken(app),
      });
      expect(made.status).toBe(201);
      return { id: made.body.id, email, password: PASSWORD };
    };

    const confirm = async (token: string) => {
      const page = await browser.get(`/verify-email?token=${token}`);
      const created = page.body.includes('name="created"') ? '&created=yes' : '';
      return { page, done: await browser.get(`${page.formAction()}?token=${token}${created}`) };
    };

    it.each(['on the page', 'by JSON'])(
      'all that was set up in an account that a server has made is removed %s',
      async (how) => {
        const settled = await settleIn(await byServer());
        const { user } = settled;
        const { token } = await mailed(user);
        if (how === 'by JSON') {
          const answer = await world.call('GET', `/auth/verify-email?token=${token}&created=yes`);
          expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
          expect(await waysOf(settled)).toEqual([]);
          return;
        }
        const { page, done } = await confirm(token);
        expect(page.body).toContain('Sign-in methods that are removed');
        expect(page.body).not.toContain('Mallory');
        expect(await waysOf(settled)).toEqual([]);
        const set = /href="[^"]*(\/reset-password\?token=[^"]+)"/.exec(unescapeHtml(done.body))![1]!;
        const form = await browser.get(set);
        const fields = { form_token: form.formToken(), token: set.split('=')[1]!, password: 'my own long secret' };
        expect((await browser.post('/reset-password', fields)).status).toBe(200);
        expect((await world.login({ ...user, password: 'my own long secret' }, app.id)).status).toBe(200);
        const [entry] = await world.sql<{ metadata: object }>(
          `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'user.email_verified'`,
          [user.id],
        );
        expect(entry!.metadata).toEqual({ by: 'link', dropped: ['sessions', 'password', 'linked_accounts'] });
      },
    );

    it('the answer "I created it" keeps nothing of an account that a server has made', async () => {
      const settled = await settleIn(await byServer());
      const { token } = await mailed(settled.user);
      expect((await browser.get(`/auth/verify-email?token=${token}&created=yes`)).status).toBe(200);
      expect(await waysOf(settled)).toEqual([]);
    });

    it('a password that a server has set is removed even if its user is signed in, who keeps the rest', async () => {
      const settled = await settleIn(await byServer());
      const { token } = await mailed(settled.user);
      browser = settled.theirs;
      const { done } = await confirm(token);
      expect(unescapeHtml(done.body)).toContain('/reset-password?token=');
      expect(await waysOf(settled)).toEqual(['passkey', 'identity', 'session', 'refresh']);
    });

    it('a password that an administrator has set is removed, with what was set up in an account that signed up', async () => {
      const settled = await settleIn(await signUpUser(world, app));
      const { user } = settled;
      await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: 'set by an admin' });
      const { token } = await mailed(user, true);
      const { page } = await confirm(token);
      expect(page.body).not.toContain('Did you create this account?');
      expect(await waysOf(settled)).toEqual([]);
      expect((await world.login({ ...user, password: 'set by an admin' }, app.id)).status).toBe(401);
    });

    it('nothing opens an account that a stranger has signed up for, when the owner of the mailbox says so', async () => {
      const settled = await settleIn(await signUpUser(world, app));
      const { token } = await mailed(settled.user, true);
      const page = await browser.get(`/verify-email?token=${token}`);
      expect(page.body).toMatch(/Did you create this account\?[\s\S]*Password[\s\S]*GitHub account/);
      expect(page.body).not.toContain('Grace Hopper');
      await browser.post('/verify-email/not-me', { form_token: page.formToken(), token });
      expect(await waysOf(settled)).toEqual([]);
    });

    it('only the password of the sign-up stays where nobody was asked', async () => {
      const settled = await settleIn(await signUpUser(world, app));
      const { token } = await mailed(settled.user, true);
      expect((await world.call('GET', `/auth/verify-email?token=${token}&created=yes`)).status).toBe(200);
      expect(await waysOf(settled)).toEqual(['password']);
    });

    it.each(['on the page', 'by JSON while signed in'])('owners who signed up keep everything %s', async (how) => {
      const settled = await settleIn(await signUpUser(world, app));
      const { token } = await mailed(settled.user, true);
      if (how === 'on the page') expect((await confirm(token)).done.body).toContain('is confirmed');
      else {
        const answer = await settled.theirs.get(`/auth/verify-email?token=${token}`, { Accept: 'application/json' });
        expect([answer.status, answer.body]).toEqual([200, '{"status":"ok"}']);
      }
      expect(await waysOf(settled)).toEqual(['password', 'passkey', 'identity', 'session', 'refresh']);
    });

    it('an identity that has not proven the address no longer opens the account', async () => {
      const email = `victim-${unique()}@example.com`;
      const subject = becomeAt('microsoft', email, false);
      const attacker = new HostedBrowser(world.baseUrl);
      const { delivered } = await trip('microsoft', attacker);
      const code = { code: delivered.get('code'), app_id: app.id, redirect_uri: REDIRECT };
      const { body: tokens } = await world.call<{ refresh_token: string }>('POST', '/token/exchange', code);
      const { token } = linkIn(await mailing.smtp.next(email, SENT));
      await confirm(token);
      const again = await trip('microsoft', new HostedBrowser(world.baseUrl));
      expect([again.status, again.location]).toEqual([403, null]);
      expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [subject])).toEqual([]);
      const refresh = { refresh_token: tokens.refresh_token, app_id: app.id };
      expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
      expect((await attacker.get(loginPath(app))).status).toBe(200);
    });
  });

  describe('Linking an identity while signed in', () => {
    let user: TestUser;

    beforeEach(async () => {
      user = await local(true);
      await browser.signIn(loginPath(app), user.email, user.password);
    });

    it('adds the identity with any address, and mails the owner', async () => {
      const subject = becomeAt('microsoft', `work-${unique()}@example.com`, false);
      await linkBy('microsoft', browser);
      expect(await linksOf(user.id)).toEqual([{ provider: 'microsoft', subject }]);
      await mailing.smtp.next(user.email, CHANGED);
      const other = new HostedBrowser(world.baseUrl);
      expect((await trip('microsoft', other)).delivered.get('code')).toBeTruthy();
      await linkBy('microsoft', browser);
      expect(await linksOf(user.id)).toHaveLength(1);
    });

    it('lets the user choose the account at the provider', async () => {
      const { location } = await browser.startLinking('google');
      expect(new URL(location!).searchParams.get('prompt')).toBe('select_account');
    });

    it('asks for confirmation wherever the link was followed, also on a page of ours', async () => {
      const own = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document' };
      for (const headers of [own, { 'Sec-Fetch-Site': 'cross-site' }, {}] as Record<string, string>[]) {
        const page = await browser.get('/oauth/google/start?link=1', headers);
        expect([page.status, page.location]).toEqual([200, null]);
        expect(page.body).toContain('Link Google to your account?');
        expect((await browser.post(page.formAction(), {})).status).toBe(403);
        const left = await browser.post(page.formAction(), { form_token: page.formToken() });
        expect([left.status, left.location?.startsWith(google.server.origin)]).toEqual([303, true]);
      }
    });

    it.each([
      [
        'an old session',
        async () => void (await world.sql(`UPDATE sso_sessions SET auth_time = now() - interval '6 minutes'`)),
      ],
      ['no session', () => Promise.resolve((browser = new HostedBrowser(world.baseUrl))).then(() => undefined)],
    ])('requires a sign-in first with %s', async (_, make) => {
      await make();
      const answer = await browser.get('/oauth/google/start?link=1', { 'Sec-Fetch-Site': 'same-origin' });
      expect(answer.location).toBe('/account/sign-in?fresh=1');
    });

    it('works only for the user who started it: not for another account, not without a session', async () => {
      const subject = becomeAt('google', `x-${unique()}@example.com`, true);
      const { location } = await browser.startLinking('google');
      const sent = new URL(location!).searchParams;
      google.nonce = sent.get('nonce')!;
      const other = await local(true);
      await browser.signIn(loginPath(app, { prompt: 'login' }), other.email, other.password);
      const answer = await browser.get(`/oauth/google/callback?code=code&state=${sent.get('state')!}`);
      expect(answer.status).toBe(400);
      expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [subject])).toEqual([]);
    });

    it('keeps an identity at the account that it already opens', async () => {
      const subject = becomeAt('google', `taken-${unique()}@example.com`, true);
      await trip('google', new HostedBrowser(world.baseUrl));
      const answer = await linkBy('google', browser);
      expect([answer.status, answer.body.includes('is already linked to another account here')]).toEqual([409, true]);
      expect(await linksOf(user.id)).toEqual([]);
      expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [subject])).toHaveLength(1);
    });

    it('changes nothing if the provider returns an error', async () => {
      const { location } = await browser.startLinking('google');
      const state = new URL(location!).searchParams.get('state')!;
      const answer = await browser.get(`/oauth/google/callback?error=access_denied&state=${state}`);
      expect([answer.status, answer.body.includes('nothing has changed')]).toEqual([400, true]);
      expect(await linksOf(user.id)).toEqual([]);
    });
  });

  describe('Unlinking an identity', () => {
    const remove = (userId: string, id: string) => {
      const transactions = mailing.service.nest.get(Transactions, { strict: false });
      const linked = mailing.service.nest.get(LinkedAccountsService, { strict: false });
      return transactions.run((tx) => linked.remove(tx, systemContext('test'), userId, id));
    };
    const idsOf = async (userId: string) =>
      (await world.sql<{ id: string }>('SELECT id FROM linked_accounts WHERE user_id = $1', [userId])).map(
        ({ id }) => id,
      );

    it('is audited and mailed, and never removes the last sign-in method', async () => {
      const email = `last-${unique()}@example.com`;
      becomeAt('google', email, true);
      await trip('google');
      const [{ id: userId } = { id: '' }] = await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [
        email,
      ]);
      const [only] = await idsOf(userId);
      await expect(remove(userId, only!)).rejects.toThrow('Set a password first');
      becomeAt('github', email, true);
      await trip('github');
      const ids = await idsOf(userId);
      const outcomes = await Promise.allSettled(ids.map((id) => remove(userId, id)));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await idsOf(userId)).toHaveLength(1);
      const entries = await world.sql(
        `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'linked_account.removed'`,
        [userId],
      );
      expect(entries).toHaveLength(1);
      await mailing.smtp.next(email, CHANGED);
    });

    it('returns 404 to other users', async () => {
      const [mine, other] = [await local(true), await local(true)];
      becomeAt('google', mine.email, true);
      await trip('google');
      const [id] = await idsOf(mine.id);
      await expect(remove(other.id, id!)).rejects.toThrow('Linked account not found');
      await remove(mine.id, id!);
      expect(await idsOf(mine.id)).toEqual([]);
    });
  });
});
