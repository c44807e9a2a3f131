import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../support/chromium.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { Visitor } from '../../support/visitor.js';
import { World } from '../../support/world.js';

const REASON = 'Ticket 4711: their app has the wrong name';

describe('Platform admin acting as a tenant in the Console', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let browser: Browser;
  let admin: Visitor;

  beforeAll(async () => {
    [database, browser] = await Promise.all([freshDatabase(), openBrowser()]);
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    await world.app(await world.tenant({ name: 'Acme' }), { name: 'Shpo' });
    await world.app(await world.tenant({ name: 'Other' }), { name: 'Books' });
    admin = await Visitor.arrive(browser);
    await admin.open(`${service.baseUrl}/console/`);
    await admin.signIn(world.admin);
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    await service.close();
    await database.drop();
  });

  const banner = () => admin.page.locator('.impersonation');

  it('enters a reason to start', async () => {
    await admin.navigate('Tenants');
    await admin.follow('Acme');
    await admin.follow('Impersonate tenant…');
    expect(await admin.heading()).toBe('Impersonate Acme?');
    await admin.press('Impersonate tenant');
    expect(await admin.text('.error-summary')).toContain('Enter a reason. It is recorded in the audit log.');
    await admin.fill({ 'Reason (recorded in the audit log)': REASON });
    await admin.press('Impersonate tenant');
    expect(await admin.text('.impersonation')).toMatch(/You are impersonating the tenant Acme\. \d+ minutes left/);
  });

  it('sees the banner on every page, and only what the tenant’s admins see', async () => {
    const entries = await admin.page.locator('nav.sidenav a[href^="/console"]').allInnerTexts();
    expect(entries).toEqual(
      expect.arrayContaining(['Overview', 'Tenant settings', 'Apps', 'Users', 'Invites', 'Audit log', 'Help']),
    );
    expect(entries).toEqual(expect.not.arrayContaining(['Tenants', 'Limits and queues', 'Keys']));
    for (const entry of entries) {
      await admin.navigate(entry);
      expect([entry, await admin.text('.impersonation')]).toEqual([
        entry,
        expect.stringContaining(`You are impersonating the tenant Acme`),
      ]);
      expect([entry, await admin.text('.impersonation')]).toEqual([entry, expect.stringContaining(REASON)]);
    }
    await admin.navigate('Apps');
    expect(await admin.page.getByRole('link', { name: 'Books' }).count()).toBe(0);
  });

  it('changes an app of the tenant', async () => {
    await admin.follow('Shpo');
    await admin.fill({ Name: 'Shop' });
    await admin.press('Save changes');
    expect(await admin.heading()).toMatch(/^Shop/);
    expect(await banner().count()).toBe(1);
  });

  it('stops with a click', async () => {
    await admin.press('Stop impersonating');
    expect(await admin.notice()).toBe('You are no longer impersonating Acme.');
    expect(await banner().count()).toBe(0);
    await admin.navigate('Tenants');
    expect(await admin.heading()).toBe('Tenants');
  });

  it('finds both identities in the audit log', async () => {
    await admin.navigate('Audit log');
    const line = (words: string) => admin.page.locator('.audit-event', { hasText: words }).first();
    expect(await line(', while impersonating the tenant Acme').innerText()).toMatch(
      /changed .*, while impersonating the tenant Acme\./,
    );
    expect(await line('started impersonating the tenant Acme').innerText()).toContain(REASON);
    expect(await line('stopped impersonating the tenant Acme').count()).toBe(1);
    expect(await line('created the tenant').innerText()).not.toContain('impersonating');
  });
});
