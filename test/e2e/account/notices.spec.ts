import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import type { ReceivedMail } from '../../support/smtp.js';
import { type TestUser, type TestClient, type TestTenant, type World } from '../../support/world.js';

const NEW_SIGN_IN = 'New sign-in to your account';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0';
const FRESH = 'an entirely new secret';

describe('Notice mails', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService({ rateLimits: { enabled: false, overrides: {} } });
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => mailing.close());

  /** Signs in with a new browser, unless one is given. */
  const signIn = async (user: TestUser, browser = new HostedBrowser(world.baseUrl), agent = FIREFOX) => {
    const headers = { 'User-Agent': agent };
    const page = await browser.get(loginPath(app, { prompt: 'login' }), headers);
    const form = { form_token: page.formToken(), email: user.email, password: user.password };
    await browser.post(page.formAction(), form, headers);
    return browser;
  };
  /** Several mails are sent at the same time, so one that was queued later could arrive earlier. */
  const allMails = async (user: TestUser): Promise<readonly ReceivedMail[]> => {
    await quietOutbox(world);
    return mailing.smtp.to(user.email);
  };
  const ofSignIns = async (user: TestUser) => (await allMails(user)).filter(({ subject }) => subject === NEW_SIGN_IN);
  const entries = (user: TestUser) =>
    world.sql<{ metadata: { mailed: boolean } }>(
      "SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'user.new_browser' ORDER BY created_at",
      [user.id],
    );
  const expectWayToAccount = (mail: ReceivedMail) => {
    expect(mail.text).toContain(`${world.baseUrl}/account`);
    expect(mail.html).toContain(`href="${world.baseUrl}/account"`);
  };

  describe('Notice of a sign-in', () => {
    it('is not sent for the first sign-in of an account', async () => {
      const user = await world.user(app);
      await signIn(user);
      expect(await ofSignIns(user)).toEqual([]);
      expect(await entries(user)).toEqual([]);
    });

    it('is sent once for each further browser, with place, time and what to do', async () => {
      const user = await world.user(app);
      await signIn(user);
      const second = await signIn(user);
      await signIn(user, second);
      const mails = await ofSignIns(user);
      expect(mails).toHaveLength(1);
      expect(mails[0]!.text).toMatch(/Firefox on Windows, on \w{3}, .* GMT, from 127\.0\.0\.1\./);
      expect(mails[0]!.text).toContain('If this wasn’t you, change your password now');
      expectWayToAccount(mails[0]!);
      const metadata = { user_agent: 'Firefox on Windows', network: '127.0.0.0/24', mailed: true };
      expect(await entries(user)).toEqual([{ metadata }]);
    });

    it('does not turn the user agent into a link', async () => {
      const user = await world.user(app);
      await signIn(user);
      await signIn(user, new HostedBrowser(world.baseUrl), 'evil.example/1.0');
      const mails = await ofSignIns(user);
      expect(mails).toHaveLength(1);
      expect(mails[0]!.text).toContain('place: evil.\u200bexample, on');
      expect(await entries(user)).toMatchObject([{ metadata: { user_agent: 'evil.example' } }]);
    });

    it('is sent once for a browser that signs in to several apps', async () => {
      const user = await world.user(app);
      const other = await world.app(tenant);
      await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: other.id, roles: ['user'] });
      await signIn(user);
      const browser = await signIn(user);
      await browser.signIn(loginPath(other, { prompt: 'login' }), user.email, user.password);
      expect(await ofSignIns(user)).toHaveLength(1);
    });

    it('is sent once for a new device of an app', async () => {
      const user = await world.user(app);
      for (const device_id of ['pixel-8', 'tab-s9', 'tab-s9']) await world.tokens(user, app.id, { device_id });
      expect(await ofSignIns(user)).toHaveLength(1);
    });

    it('is not sent for the browser in which users change their own password, nor for a known browser after it', async () => {
      const user = await world.user(app);
      const other = await signIn(user);
      const browser = await visitAccount(world, user);
      await sendForm(browser, '/account/password', { current_password: user.password, new_password: FRESH });
      await signIn({ ...user, password: FRESH }, other);
      expect(await ofSignIns(user)).toHaveLength(1);
    });

    it('is sent five times a day at most; the audit log records every new browser', async () => {
      const user = await world.user(app);
      for (let count = 0; count < 8; count++) await signIn(user);
      expect(await ofSignIns(user)).toHaveLength(5);
      expect((await entries(user)).map(({ metadata }) => metadata.mailed)).toEqual([
        ...Array<boolean>(5).fill(true),
        false,
        false,
      ]);
    });

    it('is sent for the first sign-in after a password reset, which forgets every known browser', async () => {
      const user = await world.user(app);
      await signIn(user);
      await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: FRESH });
      const browser = await signIn({ ...user, password: FRESH });
      await signIn({ ...user, password: FRESH }, browser);
      expect(await ofSignIns(user)).toHaveLength(1);
      expect(await entries(user)).toMatchObject([{ metadata: { mailed: true } }]);
    });

    it('is not sent for the first sign-in of an account if an admin set its password before', async () => {
      const user = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: FRESH });
      await signIn({ ...user, password: FRESH });
      expect(await ofSignIns(user)).toEqual([]);
    });

    it('is sent for a browser that an administrator shares after the administrator set the user’s password', async () => {
      const user = await world.user(app);
      const shared = await signIn(user);
      const options = { token: world.admin.token, headers: { Cookie: `known=${shared.cookie('known')!}` } };
      const body = { new_password: FRESH };
      const answer = await world.call('PUT', `/admin/users/${user.id}/password`, body, options);
      expect(answer.status).toBe(200);
      await signIn({ ...user, password: FRESH }, shared);
      expect(await ofSignIns(user)).toHaveLength(1);
    });

    it('is sent once for a new browser whose tabs sign in at the same time', async () => {
      const user = await world.user(app);
      await signIn(user);
      for (let count = 1; count <= 3; count++) {
        const browser = new HostedBrowser(world.baseUrl);
        const tabs = [];
        for (let tab = 0; tab < 3; tab++) tabs.push(await browser.get(loginPath(app, { prompt: 'login' })));
        const answers = await Promise.all(
          tabs.map((page) =>
            browser.post(page.formAction(), {
              form_token: page.formToken(),
              email: user.email,
              password: user.password,
            }),
          ),
        );
        for (const answer of answers) expect(answer.status).toBe(303);
        expect(await entries(user)).toHaveLength(count);
      }
      expect(await ofSignIns(user)).toHaveLength(3);
    });

    it('is sent once for a new device whose app signs in several times at the same time', async () => {
      const user = await world.user(app);
      await world.tokens(user, app.id, { device_id: 'pixel-8' });
      await Promise.all(Array.from({ length: 4 }, () => world.tokens(user, app.id, { device_id: 'tab-s9' })));
      expect(await entries(user)).toHaveLength(1);
      expect(await ofSignIns(user)).toHaveLength(1);
    });

    it('is not sent to an unverified email address', async () => {
      const user = await world.user(app);
      await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [user.id]);
      await signIn(user);
      await signIn(user);
      expect(await entries(user)).toHaveLength(1);
      expect(await allMails(user)).toEqual([]);
    });
  });

  it('report the first password of an account', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
    const answer = await sendForm(browser, '/account/first-password', { new_password: FRESH });
    expect(answer.status).toBe(303);
    const mail = await mailing.smtp.next(user.email, 'A password was set for your account');
    expect(mail.text).toContain('A first password was set for your account on');
    expect(mail.text).toContain('If this wasn’t you');
    expectWayToAccount(mail);
  });

  it('report a changed password with a link to the account page', async () => {
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: FRESH });
    expectWayToAccount(await mailing.smtp.next(user.email, 'Your password was changed'));
  });

  it('do not report a changed password to an unverified email address', async () => {
    const user = await world.user(app);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [user.id]);
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: FRESH });
    expect(await allMails(user)).toEqual([]);
  });

  it('report a new platform admin to that user and to the other platform admins', async () => {
    const user = await world.user();
    await world.asAdmin('PUT', `/admin/users/${user.id}/promote`);
    const mail = await mailing.smtp.next(user.email, 'You were made an administrator');
    expect(mail.text).toContain(
      `You are now an administrator of the whole service. ${world.admin.email} gave you this role on`,
    );
    expectWayToAccount(mail);
    const others = await mailing.smtp.next(world.admin.email, 'A new administrator');
    expect(others.text).toContain(`${user.email} is now an administrator of the whole service.`);
  });

  it('report a new tenant admin to that user and to the other tenant admins', async () => {
    const [first, user] = [await world.tenantAdmin(tenant), await world.user()];
    await world.asAdmin('POST', `/admin/tenants/${tenant.id}/admins`, { email: user.email });
    const mail = await mailing.smtp.next(user.email, 'You were made an administrator');
    expect(mail.text).toContain(`You are now an administrator of the tenant ${tenant.name}.`);
    const others = await mailing.smtp.next(first.email, 'A new administrator');
    expect(others.text).toContain(user.email);
  });
});
