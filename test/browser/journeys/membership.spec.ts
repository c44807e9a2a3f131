import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { FirstAdminLinks } from '../../../src/auth/setup/first-admin-links.service.js';
import { openBrowser } from '../../support/chromium.js';
import { type ListeningApp, startListeningApp } from '../../support/listening-app.js';
import { newAddress } from '../../support/new-user.js';
import { SmtpInbox } from '../../support/smtp.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { Visitor } from '../../support/visitor.js';

const ADMIN = { email: 'root@example.com', password: 'a long enough password' };

/**
 * From an empty installation to a user who joins, is suspended and is reactivated; each step needs the steps before it.
 */
describe('From an empty installation to a reactivated member', () => {
  const member = { email: newAddress(), password: 'another long password' };
  let database: TestDatabase;
  let smtp: SmtpInbox;
  let service: TestApp;
  let shop: ListeningApp;
  let browser: Browser;
  let admin: Visitor;
  let second: Visitor;
  /** The app's sign-in URL, as the Console shows it. */
  let signInPage: string;

  beforeAll(async () => {
    [database, smtp, shop, browser] = await Promise.all([
      freshDatabase(),
      SmtpInbox.start(),
      startListeningApp(),
      openBrowser(),
    ]);
    service = await startTestApp({ settings: { databaseUrl: database.url, mailUrl: smtp.url } });
    [admin, second] = await Promise.all([Visitor.arrive(browser), Visitor.arrive(browser)]);
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
    await Promise.all([smtp.stop(), shop.close(), database.drop()]);
  });

  it('the setup link creates the first admin once', async () => {
    const token = await service.nest.get(FirstAdminLinks, { strict: false }).create();
    const link = `${service.baseUrl}/setup?token=${token!}`;
    await admin.open(link);
    expect(await admin.heading()).toBe('Create the first administrator');
    await admin.fill({ 'E-mail address': ADMIN.email, Name: 'Root', Password: ADMIN.password });
    await admin.press('Create administrator');
    expect(await admin.heading()).toBe('Overview');
    await second.open(link);
    expect(await second.page.getByRole('button', { name: 'Create administrator' }).count()).toBe(0);
  });

  it('the admin creates a tenant and an app', async () => {
    await admin.navigate('Tenants');
    await admin.follow('New tenant');
    await admin.fill({ Name: 'Acme' });
    await admin.press('Create tenant');
    expect(await admin.heading()).toMatch(/^Acme/);
    await admin.navigate('Apps');
    await admin.follow('New app');
    await admin.choose('Tenant', 'Acme');
    await admin.fill({ Name: 'Shop', 'Bundle ID': 'com.example.shop', 'Redirect URIs': shop.redirectUri });
    await admin.press('Create app');
    expect(await admin.text('.secret-once')).toContain('It is shown only once.');
    await admin.follow('I’ve saved the secret: continue to the app');
    expect(await admin.heading()).toMatch(/^Shop/);
    const link = admin.page.getByRole('link', { name: 'Test sign-in' });
    signInPage = (await link.getAttribute('href'))!;
  });

  it('a mailed invite leads to a new account in another browser', async () => {
    await admin.tab('Invites');
    await admin.fill({ 'E-mail address': member.email });
    await admin.press('Create invite');
    expect(await admin.text()).toContain(member.email);
    const mail = await smtp.next(member.email, /invite/i);
    await second.open(/https?:\/\/\S+\/invite\?code=\S+/.exec(mail.text ?? '')![0]);
    expect(await second.heading()).toBe('You are invited');
    await second.press('Create an account');
    await second.fill({ Name: 'Grace Hopper', Password: member.password });
    await second.press('Create account');
    expect(second.page.url()).toMatch(/\/callback\?code=/);
  });

  it('a suspension blocks the member’s sign-in', async () => {
    await admin.navigate('Users');
    await admin.page.getByRole('searchbox', { name: 'Name, e-mail or ID' }).fill('hopp grace');
    await admin.press('Filter');
    await admin.follow('Grace Hopper');
    await admin.page.locator('summary', { hasText: 'More actions for Shop' }).click();
    await admin.follow('Suspend… in Shop');
    await admin.press('Suspend member');
    expect(await admin.notice()).toBe('Grace Hopper was suspended and signed out of this app on all devices.');
    for (const address of [signInPage.replace('&prompt=login', ''), signInPage]) {
      await second.open(address);
      expect(await second.heading()).toBe('Sign in'); // the open session does not sign the suspended user in
      await second.signIn(member);
      expect(new URL(second.page.url()).searchParams.get('error')).toBe('account_suspended');
      expect(second.page.url()).not.toContain('code=');
    }
  });

  it('the access check shows the admin the suspension', async () => {
    await admin.tab('Why can’t they sign in?');
    expect(await admin.text('.verdict')).toBe('They can’t sign in to Shop. The checks marked “Blocked” say why.');
    const inTheWay = admin.page.locator('.rules li', { hasText: 'Blocked' });
    expect(await inTheWay.count()).toBe(1);
    expect(await inTheWay.innerText()).toMatch(/Suspension[^]*Suspended in this app\. An administrator can reactivate/);
  });

  it('a reactivation lets the member sign in again', async () => {
    await admin.tab('Overview');
    await admin.press('Reactivate in Shop');
    expect(await admin.notice()).toBe('Grace Hopper can sign in again.');
    await admin.tab('Why can’t they sign in?');
    expect(await admin.text('.verdict')).toContain('They can sign in to');
    await second.open(signInPage);
    await second.signIn(member);
    expect(second.page.url()).toMatch(/\/callback\?code=/);
  });

  it('the Activity tab shows the suspension and the reactivation', async () => {
    await admin.tab('Activity');
    expect(await admin.text('.timeline')).toMatch(/reactivated Grace Hopper in Shop[^]*suspended Grace Hopper in Shop/);
  });
});
