import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { codeAt, nextCode, wrongCode } from '../../support/authenticator.js';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { acceptAlone, acceptNew, newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser } from '../../support/new-user.js';
import { type FakeProviders, startFakeProviders } from '../../support/fake-providers.js';
import { passProvider, providerUser } from '../../support/provider-sign-in.js';
import { backupCodesOn, secretOn, sessionOf } from '../../support/second-factor.js';
import { linkIn, type ReceivedMail } from '../../support/smtp.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type World } from '../../support/world.js';

const FACTOR = '/account/second-factor';
const FRESH = 'an entirely new secret';
const MADE = 'You were made an administrator';
const NEW = 'A new administrator';

describe('Notice of an account change', () => {
  let rig: FakeProviders;
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let console: HostedBrowser;

  beforeAll(async () => {
    rig = await startFakeProviders();
    const { port, baseUrl, providers } = rig;
    mailing = await startMailingService({ port, baseUrl, providers });
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant, { name: 'Notebook' });
    console = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await mailing.close();
    await rig.close();
  });

  const withFactor = async (user: TestUser) => {
    const browser = await visitAccount(world, user);
    const secret = secretOn(await browser.get(FACTOR));
    const shown = await sendForm(browser, FACTOR, { code: codeAt(secret) });
    return { browser, secret, backupCodes: backupCodesOn(shown) };
  };
  const linked = async (user: TestUser) => {
    const id = randomUUID();
    await world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject, email) VALUES ($1, $2, 'github', $3, 'x@example.com')`,
      [id, user.id, `sub-${id}`],
    );
    return id;
  };
  const timeline = async (user: TestUser) => contentWords(await console.get(`/console/users/${user.id}/timeline`));
  const expectWayOut = ({ text, html }: ReceivedMail) => {
    expect(text).toMatch(/If (this wasn’t you|you did not expect this|this is a mistake)/);
    expect(text).toContain(`${rig.baseUrl}/account`);
    expect(html).toContain(`href="${rig.baseUrl}/account"`);
    const links = [...text!.matchAll(/\bhttps?:\/\/\S+/g)].map(([link]) => link);
    expect(links.filter((link) => ![`${rig.baseUrl}/account`, `${rig.baseUrl}/console/`].includes(link))).toEqual([]);
  };

  interface Row {
    readonly of: string;
    readonly cause: (user: TestUser) => Promise<unknown>;
    readonly subject: string;
    readonly says: string;
    readonly timeline: string;
    /** The mail has a link that undoes it. */
    readonly isUndoable?: true;
  }
  const rows: Row[] = [
    {
      of: 'a second factor that was added',
      cause: withFactor,
      subject: 'Your second factor was changed',
      says: 'A second factor was added to your account.',
      timeline: 'Ada Lovelace set up a second factor.',
      isUndoable: true,
    },
    {
      of: 'a second factor that was removed',
      cause: async (user) => {
        const { browser, secret } = await withFactor(user);
        await sendForm(browser, `${FACTOR}/remove`, { code: nextCode(secret) });
      },
      subject: 'Your second factor was changed',
      says: 'The second factor was removed from your account.',
      timeline: 'Ada Lovelace removed their second factor.',
    },
    {
      of: 'a second factor that an administrator took off',
      cause: async (user) => {
        await withFactor(user);
        await world.asAdmin('POST', `/admin/users/${user.id}/totp/reset`);
      },
      subject: 'Your second factor was changed',
      says: 'An administrator removed the second factor of your account.',
      timeline: 'Root reset the second factor of Ada Lovelace',
    },
    {
      of: 'backup codes that were renewed',
      cause: async (user) => {
        const { browser, secret } = await withFactor(user);
        await sendForm(browser, `${FACTOR}/codes`, { code: nextCode(secret) });
      },
      subject: 'Your second factor was changed',
      says: 'New backup codes were created. The old ones no longer work.',
      timeline: 'Ada Lovelace created new backup codes; the old ones no longer work.',
      isUndoable: true,
    },
    {
      of: 'a backup code that was used',
      cause: async (user) => {
        const { browser, backupCodes } = await withFactor(user);
        await sendForm(browser, `${FACTOR}/codes`, { code: backupCodes[0]! });
      },
      subject: 'Your second factor was changed',
      says: 'A backup code was used instead of your authenticator app; 9 are left.',
      timeline: 'Ada Lovelace used a backup code: 9 left.',
    },
    {
      of: 'wrong codes that lock the second factor',
      cause: async (user) => {
        const { browser, secret } = await withFactor(user);
        for (let tries = 0; tries < 5; tries++)
          await sendForm(browser, `${FACTOR}/remove`, { code: wrongCode(secret) });
      },
      subject: 'Wrong codes for your second factor',
      says: '5 wrong codes were entered for your account',
      timeline: 'Ada Lovelace entered too many wrong second-factor codes: locked for 15 minutes.',
    },
    {
      of: 'an account at a provider that was linked',
      cause: async (user) => {
        const browser = await visitAccount(world, user);
        rig.google.signInAs(providerUser());
        const started = await browser.startLinking('google');
        const there = new URL(started.location!);
        there.searchParams.delete('prompt'); // which the stand-in does not know
        await browser.get((await passProvider(there.href, rig.baseUrl)).path);
      },
      subject: 'The sign-in methods of your account were changed',
      says: 'Google can now be used to sign in to your account.',
      timeline: 'Ada Lovelace linked an account at Google.',
      isUndoable: true,
    },
    {
      of: 'an account at a provider that was unlinked',
      cause: async (user) => {
        const id = await linked(user);
        await sendForm(await visitAccount(world, user), `/account/linked-accounts/${id}/remove`);
      },
      subject: 'The sign-in methods of your account were changed',
      says: 'GitHub can no longer be used to sign in to your account.',
      timeline: 'Ada Lovelace removed the link to GitHub.',
    },
    {
      of: 'the first password',
      cause: async (user) => {
        const browser = await visitAccount(world, user);
        await world.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
        await sendForm(browser, '/account/first-password', { new_password: FRESH });
      },
      subject: 'A password was set for your account',
      says: 'A first password was set for your account',
      timeline: 'Ada Lovelace set the first password',
    },
    {
      of: 'a password that was changed on the account page',
      cause: async (user) => {
        const browser = await visitAccount(world, user);
        await sendForm(browser, '/account/password', { current_password: user.password, new_password: FRESH });
      },
      subject: 'Your password was changed',
      says: 'The password of your account was changed',
      timeline: 'Ada Lovelace changed their password',
    },
    {
      of: 'a password that an administrator set',
      cause: (user) => world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: FRESH }),
      subject: 'Your password was changed',
      says: 'The password of your account was changed',
      timeline: 'Root set a new password for Ada Lovelace',
    },
    {
      of: 'a sign-in from a new browser',
      cause: async (user) => {
        for (let browsers = 0; browsers < 2; browsers++)
          await new HostedBrowser(rig.baseUrl).signIn(loginPath(app), user.email, user.password);
      },
      subject: 'New sign-in to your account',
      says: 'There was a sign-in to your account from a new browser or place',
      timeline: 'Ada Lovelace signed in from a new browser or location.',
    },
    {
      of: 'becoming a platform admin',
      cause: (user) => world.asAdmin('PUT', `/admin/users/${user.id}/promote`),
      subject: MADE,
      says: 'You are now an administrator of the whole service.',
      timeline: 'Root made Ada Lovelace a platform admin',
    },
    {
      of: 'becoming a tenant admin',
      cause: (user) => world.asAdmin('POST', `/admin/tenants/${tenant.id}/admins`, { email: user.email }),
      subject: MADE,
      says: 'You are now an administrator of the tenant Tenant',
      timeline: 'Root made Ada Lovelace an admin of',
    },
    {
      of: 'becoming an app admin',
      cause: (user) => world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] }),
      subject: MADE,
      says: 'You are now an administrator of the app Notebook of Tenant',
      timeline: 'Root changed the roles of Ada Lovelace in Notebook from user to user, admin',
    },
  ];

  it.each(rows)('mails the user about $of, with what to do, and appears in the user’s timeline', async (row) => {
    const user = await world.user(app);
    await row.cause(user);
    const mail = await eventually(`a mail that says “${row.says}”`, () =>
      mailing.smtp.to(user.email).find(({ subject, text }) => subject === row.subject && text!.includes(row.says)),
    );
    if (row.isUndoable) expect(linkIn(mail).path).toMatch(/^\/new-credential\?token=[\w-]{43}$/);
    else expectWayOut(mail);
    expect(await timeline(user)).toContain(row.timeline);
  });

  describe('about a new app admin', () => {
    const makeAdmin = (user: TestUser, { id }: TestClient, roles = ['admin']) =>
      world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: id, roles });
    /** Several mails are sent at the same time, so one that was queued later could arrive earlier. */
    const mails = async (user: TestUser, subject: string) => {
      await quietOutbox(world);
      return mailing.smtp.to(user.email).filter((mail) => mail.subject === subject);
    };

    it('mails the app’s other admins in the app’s name, and no other members or tenant admins', async () => {
      const shop = await world.app(tenant, { name: 'Shop' });
      const tenantAdmin = await world.tenantAdmin(tenant);
      const [first, member, user] = [await world.user(shop), await world.user(shop), await world.user()];
      await makeAdmin(first, shop);
      await makeAdmin(user, shop);
      const told = await mailing.smtp.next(first.email, NEW);
      expect(told.text).toContain(`${user.email} is now an administrator of the app Shop of ${tenant.name}.`);
      expect(told.text).toContain(`${world.admin.email} gave them this role on`);
      expect(told.text).toContain('on behalf of Shop');
      expectWayOut(told);
      expect((await mailing.smtp.next(user.email, MADE)).text).toContain('on behalf of Shop');
      expect(await mails(member, NEW)).toEqual([]);
      expect((await mails(tenantAdmin, NEW)).map(({ text }) => text!.includes(user.email))).not.toContain(true);
    });

    it('mails the tenant admins in the service’s name if the app has no other admin', async () => {
      const other = await world.tenant();
      const shop = await world.app(other, { name: 'Shop' });
      const [tenantAdmin, user] = [await world.tenantAdmin(other), await world.user(shop)];
      await makeAdmin(user, shop);
      const told = await mailing.smtp.next(tenantAdmin.email, NEW);
      expect(told.text).toContain(`${user.email} is now an administrator of the app Shop of ${other.name}.`);
      expect(told.text).not.toContain('on behalf of Shop');
    });

    it('is sent for an account created with the admin role, and not for an existing admin who gets another role', async () => {
      const first = await world.user(app, { roles: ['admin'] });
      const user = await world.user(app, { roles: ['admin'] });
      expect(await mails(user, MADE)).toHaveLength(1);
      await makeAdmin(user, app, ['admin', 'manager']);
      expect(await mails(user, MADE)).toHaveLength(1);
      expect((await mails(first, NEW)).filter(({ text }) => text!.includes(user.email))).toHaveLength(1);
    });

    it('is sent after an accepted invite and names the admin who created the invite', async () => {
      const [first, user] = [await world.user(app, { roles: ['admin'] }), await world.user(app)];
      const invite = await newInvite(world, app, { roles: ['admin'] });
      const { headers } = sessionOf(await world.login(user, app.id));
      const accepted = await acceptAlone(world, app, invite.code, {}, headers);
      expect(accepted.status).toBe(200);
      const made = await mailing.smtp.next(user.email, MADE);
      expect(made.text).toContain(
        `You are now an administrator of the app Notebook of ${tenant.name}. ${world.admin.email} gave`,
      );
      const email = newAddress();
      const { code } = await newInvite(world, app, { roles: ['admin'] });
      expect((await acceptNew(world, app, code, { email })).status).toBe(200);
      expect((await mails(first, NEW)).map(({ text }) => text!.includes(email))).toContain(true);
    });

    it('mails the tenant admins after an accepted invite to the tenant’s Console', async () => {
      const other = await world.tenant();
      const [first, user] = [await world.tenantAdmin(other), await world.user(app)];
      const invite = await newInvite(world, { id: other.consoleAppId }, { roles: ['admin'] });
      const { headers } = sessionOf(await world.login(user, app.id));
      const accepted = await acceptAlone(world, { id: other.consoleAppId }, invite.code, {}, headers);
      expect(accepted.status).toBe(200);
      await mailing.smtp.next(user.email, MADE);
      expect((await mailing.smtp.next(first.email, NEW)).text).toContain(user.email);
    });

    describe('of an app that gives the admin role to every user who joins', () => {
      const config = { auto_assign_roles: ['user', 'admin'] };

      it('is not sent if the user joins on their own', async () => {
        const open = await world.app(tenant, { registration_policy: 'open', config });
        const { email } = await signUpUser(world, open);
        await world.sql('UPDATE users SET email_verified = true WHERE email = $1', [email]);
        expect(await mails({ id: '', email, password: '' }, MADE)).toEqual([]);
      });

      it('is sent if an administrator or an invite gives it, whatever the app does for others', async () => {
        const open = await world.app(tenant, { registration_policy: 'open', config });
        const first = await world.user(open);
        const [given, invited] = [await world.user(), await world.user(app)];
        await makeAdmin(given, open);
        const { code } = await newInvite(world, open, { roles: ['admin'] });
        const { headers } = sessionOf(await world.login(invited, app.id));
        expect((await acceptAlone(world, open, code, {}, headers)).status).toBe(200);
        for (const user of [first, given, invited])
          expect([user.email, await mails(user, MADE)]).toEqual([user.email, [expect.anything()]]);
        const told = (await mails(first, NEW)).map(({ text }) => text!);
        expect(told).toEqual([expect.stringContaining(given.email), expect.stringContaining(invited.email)]);
      });

      it('is sent if an administrator approves the request of the user', async () => {
        const asking = await world.app(tenant, { registration_policy: 'approval', config });
        const user = await world.user(app);
        const { headers } = sessionOf(await world.login(user, app.id));
        const asked = await world.call('POST', '/auth/request-access', { app_id: asking.id }, { headers });
        expect(asked.body).toEqual({ status: 'pending' });
        expect(await mails(user, MADE)).toEqual([]);
        await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${asking.id}/approve`);
        expect(await mails(user, MADE)).toHaveLength(1);
      });
    });

    it('is sent if a suspended admin is reactivated, also by an action on several members', async () => {
      const shop = await world.app(tenant, { name: 'Shop' });
      const [first, one, several] = [
        await world.user(shop, { roles: ['admin'] }),
        await world.user(shop, { roles: ['admin'] }),
        await world.user(shop, { roles: ['admin'] }),
      ];
      const member = await world.user(shop);
      for (const { id } of [one, several, member])
        await world.asAdmin('POST', `/admin/users/${id}/suspend`, { app_id: shop.id });
      const before = await mails(first, NEW);
      for (const { id } of [one, member]) await world.asAdmin('PUT', `/admin/users/${id}/apps/${shop.id}/reactivate`);
      const form_token = contentToken(await console.get('/console/users/new'));
      const path = `/console/apps/${shop.id}/members/bulk`;
      const fields = { form_token, act: 'reactivate', whom: 'chosen', [`pick:${several.id}`]: 'on' };
      const done = await console.post(path, fields);
      expect(done.status).toBe(303);
      const told = (await mails(first, NEW)).slice(before.length).map(({ text }) => text!);
      expect(told).toEqual([expect.stringContaining(one.email), expect.stringContaining(several.email)]);
      expect([await mails(one, MADE), await mails(member, MADE)].map(({ length }) => length)).toEqual([2, 0]);
    });
  });
});
