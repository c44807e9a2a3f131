import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser, signUp } from '../../support/new-user.js';
import { linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type World } from '../../support/world.js';

const NOT_VERIFIED = { error: 'email_not_verified' };
const CONFIRM = 'Confirm your e-mail address';

describe('App that requires a verified email address', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await demanding();
  });

  afterAll(() => mailing.close());

  const demanding = (fields = {}) =>
    world.app(tenant, { registration_policy: 'open', config: { require_verified_email: true }, ...fields });
  const switchTo = (of: TestClient, on: boolean) =>
    world.asAdmin('PUT', `/admin/apps/${of.id}`, { config: { require_verified_email: on } });
  const verify = (user: Pick<TestUser, 'id'>) =>
    world.sql('UPDATE users SET email_verified = true WHERE id = $1', [user.id]);

  it('creates the account at sign-up, mails the link, and issues no tokens before it is opened', async () => {
    const email = newAddress();
    const refused = await signUp(world, app, { email });
    expect([refused.status, refused.body]).toEqual([403, { detail: NOT_VERIFIED }]);
    expect(refused.headers.getSetCookie()).toEqual([]);
    const { url } = linkIn(await mailing.smtp.next(email, CONFIRM));
    const user = { id: '', email, password: 'correct horse battery staple' };
    const login = await world.login(user, app.id);
    expect([login.status, login.body]).toEqual([403, { detail: NOT_VERIFIED }]);
    expect(login.headers.getSetCookie()).toEqual([]);
    expect(url).toContain('/verify-email?token=');
    // The sign-in has mailed the link once more; the one before it is dead.
    const again = await mailing.smtp.next(email, CONFIRM);
    const token = new URL(linkIn(again).url).searchParams.get('token')!;
    const opened = await world.call('GET', `/auth/verify-email?token=${token}`);
    if (opened.status === 200) expect((await world.login(user, app.id)).status).toBe(200);
    await verify({ id: (await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]))[0]!.id });
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('sets this in its config and export, and it is off by default', async () => {
    const plain = await world.app(tenant);
    const read = async (of: TestClient) =>
      (
        await world.asAdmin<{ id: string; config: Record<string, unknown> }[]>(
          'GET',
          `/admin/apps?tenant_id=${tenant.id}`,
        )
      ).find(({ id }) => id === of.id)!.config['require_verified_email'];
    expect([await read(plain), await read(app)]).toEqual([false, true]);
    const { app: exported } = await world.asAdmin<{ app: { config: object } }>('GET', `/admin/apps/${app.id}/export`);
    expect(exported.config).toMatchObject({ require_verified_email: true });
    await world.sql(`UPDATE apps SET config = config - 'require_verified_email' WHERE id = $1`, [plain.id]);
    expect(await read(plain)).toBe(false);
    expect((await world.login(await world.user(plain, { email_verified: false }), plain.id)).status).toBe(200);
  });

  it('rejects refresh, userinfo, verify, introspection and push once it is set, and spends nothing', async () => {
    const late = await world.app(tenant, { registration_policy: 'open' });
    const user = await world.user(late, { email_verified: false });
    const tokens = await world.tokens(user, late.id);
    const service = await world.serviceToken(late);
    const ask = async () => {
      const refreshing = { refresh_token: tokens.refresh_token, app_id: late.id };
      const secrets = { client_id: late.id, client_secret: late.secret };
      const [verified, info, introspected, refreshed, pushed] = await Promise.all([
        world.call('POST', '/token/verify', { token: tokens.access_token, audience: late.id }),
        world.call('GET', '/userinfo', undefined, { token: tokens.access_token }),
        world.call('POST', '/token/introspect', { token: tokens.refresh_token, ...secrets }),
        world.call('POST', '/token/refresh', { ...refreshing, app_id: late.id }, {}),
        world.call('POST', '/push/send', { user_id: user.id, title: 'T', body: 'B' }, { token: service }),
      ]);
      return { verified, info, introspected, refreshed, pushed };
    };
    await world.asAdmin('PATCH', `/push/config/${late.id}`, { enabled: true });
    await switchTo(late, true);
    const refused = await ask();
    expect(refused.verified.body).toEqual({ valid: false, error: 'Email not verified' });
    expect(refused.info.status).toBe(401);
    expect(refused.introspected.body).toEqual({ active: false });
    expect([refused.refreshed.status, refused.refreshed.body['detail']]).toEqual([403, NOT_VERIFIED]);
    expect([refused.pushed.status, refused.pushed.body['detail']]).toEqual([400, 'User not enrolled']);
    await verify(user);
    const verified = await eventually('the proof is known', async () => {
      const { body } = await world.call('POST', '/token/verify', { token: tokens.access_token, audience: late.id });
      return body['valid'] === true ? body : undefined;
    });
    expect(verified).toMatchObject({ valid: true, claims: { email: user.email, email_verified: true } });
    const allowed = await ask();
    expect([allowed.info.status, allowed.refreshed.status, allowed.pushed.status]).toEqual([200, 200, 200]);
  });

  it('differs from an app without the requirement, which reads email_verified at /token/verify', async () => {
    const plain = await world.app(tenant);
    const user = await world.user(plain, { email_verified: false });
    const { access_token: token } = await world.tokens(user, plain.id);
    const claims = async () =>
      (await world.call<{ claims: object }>('POST', '/token/verify', { token, audience: plain.id })).body.claims;
    expect(await claims()).toMatchObject({ email_verified: false });
    await verify(user);
    await eventually(
      'the proof is known',
      async () => ((await claims()) as { email_verified: boolean }).email_verified,
    );
  });

  it('invalidates codes from before it was set', async () => {
    const late = await world.app(tenant, { registration_policy: 'open' });
    const user = await world.user(late, { email_verified: false });
    const sent = await new HostedBrowser(world.baseUrl).signIn(loginPath(late), user.email, user.password);
    await switchTo(late, true);
    const code = sent.delivered.get('code');
    const answer = await world.call('POST', '/token/exchange', { code, app_id: late.id });
    expect([answer.status, answer.body['detail']]).toEqual([400, 'Invalid or expired code']);
  });

  it('shows a page that resends the link, continues once it is opened, and returns an error if it may not ask', async () => {
    const user = await signUpUser(world, await world.app(tenant, { registration_policy: 'open' }));
    await mailing.smtp.next(user.email, CONFIRM);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['user'] });
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(app, { state: 's' }), user.email, user.password);
    expect(page.status).toBe(200);
    expect(page.body).toContain('Confirm your e-mail address');
    expect(page.body).toContain('Send the link again');
    expect(page.body).toMatch(/error(=|&#x3D;)email_not_verified/);
    const before = mailing.smtp.to(user.email).length;
    const sent = await browser.submit(page, {});
    expect([sent.status, sent.body.includes('We sent the link.')]).toEqual([200, true]);
    await eventually('the link is mailed again', () => mailing.smtp.to(user.email).length > before);
    const silent = await browser.get(loginPath(app, { prompt: 'none' }));
    expect(silent.delivered.get('error')).toBe('email_not_verified');
    await verify(user);
    const on = /href="(\/sign-in\/[^"/]+)"/.exec(page.body)![1]!;
    expect((await browser.get(on)).delivered.get('code')).toBeTruthy();
  });

  describe('and operators who approve requests:', () => {
    let asks: TestUser;
    let approving: TestClient;
    let root: HostedBrowser;

    beforeAll(async () => {
      approving = await world.app(tenant, { registration_policy: 'approval' });
      root = await visitConsole(world, world.admin);
    });

    const status = async () => {
      const sql = 'SELECT status FROM enrollments WHERE user_id = $1 AND app_id = $2';
      return (await world.sql<{ status: string }>(sql, [asks.id, approving.id]))[0]?.status;
    };

    it('they see in every list and page that the address is unverified, and confirm it once by name', async () => {
      for (const [page, place] of [
        [() => `/console/apps/${approving.id}/members`, () => `/console/apps/${approving.id}/members/${asks.id}`],
        [() => `/console/users/${asks.id}`, () => `/console/users/${asks.id}/apps/${approving.id}`],
      ] as const) {
        asks = await signUpUser(world, approving);
        const list = await root.get(page());
        expect(contentWords(list)).toContain('Not verified');
        expect(list.body).toContain(`href="${place()}/approve"`);
        expect(list.body).not.toContain(`action="${place()}/approve"`);
        const question = await sendConsoleForm(root, `/console/users/${asks.id}`, `${place()}/approve`).catch(() =>
          root.get(`${place()}/approve`),
        );
        expect([contentWords(question).includes(asks.email), await status()]).toEqual([true, 'pending']);
        expect(contentWords(question)).toContain('This e-mail address is not verified');
        // A form that was shown before the address changed names another one.
        for (const seen of ['', 'another@example.com']) {
          const other = { confirmed_email: seen };
          const asked = await sendConsoleForm(root, `${place()}/approve`, `${place()}/approve`, other);
          expect([asked.status, await status()]).toEqual([200, 'pending']);
        }
        const fields = { confirmed_email: asks.email };
        const done = await sendConsoleForm(root, `${place()}/approve`, `${place()}/approve`, fields);
        expect([done.status, await status()]).toEqual([303, 'active']);
      }
    });

    it('they confirm nothing if it is verified; over the API the answer shows it', async () => {
      asks = await signUpUser(world, approving);
      const approve = () =>
        world.call('PUT', `/admin/users/${asks.id}/apps/${approving.id}/approve`, undefined, {
          token: world.admin.token,
        });
      const answer = await approve();
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          status: 'ok',
          user_id: asks.id,
          app_id: approving.id,
          enrollment_status: 'active',
          email_verified: false,
          email_sent: true,
        },
      ]);
      asks = await signUpUser(world, approving);
      await verify(asks);
      expect((await approve()).body).toMatchObject({ email_verified: true });
      asks = await signUpUser(world, approving);
      await verify(asks);
      const place = `/console/apps/${approving.id}/members/${asks.id}`;
      expect((await sendConsoleForm(root, place, `${place}/approve`)).status).toBe(303);
      expect(await status()).toBe('active');
    });

    it('they get the requirement by default for such apps created in the Console', async () => {
      for (const [policy, expected] of [
        ['approval', true],
        ['open', false],
      ] as const) {
        const bundle = `com.example.made${Math.random().toString(36).slice(2)}`;
        const fields = { name: 'Made', tenant_id: tenant.id, bundle_id: bundle, registration_policy: policy };
        await sendConsoleForm(root, '/console/apps/new', '/console/apps/new', fields);
        const sql = `SELECT config ->> 'require_verified_email' AS demand FROM apps WHERE bundle_id = $1`;
        expect(await world.sql(sql, [bundle])).toEqual([{ demand: String(expected) }]);
      }
    });
  });
});
