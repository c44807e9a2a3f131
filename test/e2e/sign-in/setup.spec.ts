import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { FirstAdminLinks } from '../../../src/auth/setup/first-admin-links.service.js';
import type { Settings } from '../../../src/config/settings.js';
import { codeAt } from '../../support/authenticator.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { expectOne } from '../../support/judged.js';
import { secretOn } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const ADMIN = { email: 'root@example.com', display_name: 'Root', password: 'a long enough password' };

describe('Set-up link', () => {
  let database: TestDatabase;
  let service: TestApp;
  let sql: Client;
  let browser: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    sql = new Client({ connectionString: database.url });
    await sql.connect();
  });

  afterAll(async () => {
    await sql.end();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    await sql.query('DELETE FROM users WHERE is_platform_admin');
    browser = new HostedBrowser(service.baseUrl);
  });

  const link = async () => {
    const token = await service.nest.get(FirstAdminLinks, { strict: false }).create();
    return `/setup?token=${token!}`;
  };

  const admins = async () => (await sql.query('SELECT email, email_verified FROM users WHERE is_platform_admin')).rows;

  it('creates the first platform admin, verified, and leads to the Console', async () => {
    const done = await browser.post(...(await filled(await link())));
    expect([done.status, done.location]).toEqual([303, '/console/']);
    expect(await admins()).toEqual([{ email: ADMIN.email, email_verified: true }]);
  });

  it('signs the admin in: the Console opens without a form', async () => {
    await browser.post(...(await filled(await link())));
    const entered = await browser.get('/console/login');
    expect([entered.status, entered.location]).toEqual([302, '/console/']);
    expect((await browser.get('/console/tenants')).status).toBe(200);
  });

  const filled = async (path: string, fields = {}): Promise<[string, Record<string, string>]> => {
    const page = await browser.get(path);
    expect(page.status).toBe(200);
    return [page.formAction(), { form_token: page.formToken(), ...ADMIN, ...fields }];
  };

  describe('when administrators need a second factor', () => {
    const strictly = (more: Partial<Settings> = {}) =>
      startTestApp({ settings: { databaseUrl: database.url, requireAdmin2fa: true, ...more } });
    /** Signs in to the console, and sets the factor up that is demanded on the way. */
    const enterConsole = async (strict: TestApp, visitor: HostedBrowser, { email, password }: typeof ADMIN) => {
      const begin = await visitor.get('/console/login');
      const page = await visitor.signIn(begin.location!, email, password);
      expect(page.body).toContain('Set up a second factor');
      expect((await visitor.get('/console/tenants')).location).toBe('/console/login?to=%2Fconsole%2Ftenants');
      const codes = await visitor.submit(page, { code: codeAt(secretOn(page)) });
      const next = /<form method="get" action="([^"]+)"/.exec(codes.body)![1]!.replaceAll('&amp;', '&');
      let end = await visitor.get(next);
      for (let hops = 0; end.location && hops < 5; hops++)
        end = await visitor.get(end.location.replace(strict.baseUrl, ''));
      return (await visitor.get('/console/tenants')).status;
    };

    it('creates an admin who must set one up, and then signs in', async () => {
      const strict = await strictly();
      const visitor = new HostedBrowser(strict.baseUrl);
      const page = await visitor.get(await link());
      const done = await visitor.post(page.formAction(), { form_token: page.formToken(), ...ADMIN });
      expect([done.status, done.location]).toEqual([303, '/console/']);
      expect(await enterConsole(strict, visitor, ADMIN)).toBe(200);
      await strict.close();
    });

    it('is not needed with BOOTSTRAP_ADMIN_*: that admin must set one up too, and then signs in', async () => {
      const admin = { ...ADMIN, email: 'boot@example.com' };
      const strict = await strictly({ bootstrapAdmin: admin });
      expect(await admins()).toEqual([{ email: admin.email, email_verified: true }]);
      expect(await enterConsole(strict, new HostedBrowser(strict.baseUrl), admin)).toBe(200);
      await strict.close();
    });
  });

  it('works once', async () => {
    const path = await link();
    const form = await filled(path);
    await browser.post(...form);
    const again = await browser.get(path);
    expect(again.status).toBe(410);
    expect(again.body).toContain('run <code>npm run cli -- admin link</code>');
    const second = await browser.post(form[0], { ...form[1], email: 'second@example.com' });
    expect(second.status).toBe(410);
    expect(second.body).toContain('This link no longer works');
    // Before any look at the password: the service for breached passwords is not asked for strangers.
    expect((await browser.post(form[0], { ...form[1], password: 'password123' })).status).toBe(410);
    expect(await admins()).toHaveLength(1);
  });

  it('creates one admin when used sixteen times at once', async () => {
    const [path, form] = await filled(await link());
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => browser.post(path, { ...form, email: `root-${i}@example.com` })),
    );
    // Each is hashed before the link is used up; on a busy machine the queue of hashes is full before the sixteenth.
    expectOne(answers, { won: 303, refused: 410, atMost: 14 });
    expect(await admins()).toHaveLength(1);
  });

  it('is rejected with a wrong, empty or missing token', async () => {
    await link();
    for (const path of ['/setup?token=' + 'x'.repeat(43), '/setup?token=', '/setup', '/setup?token=a&token=b']) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 410]);
    }
  });

  it('does not accept the form token as its own token', async () => {
    const [, form] = await filled(await link());
    expect((await browser.post('/setup?token=' + 'x'.repeat(43), form)).status).toBe(410);
    expect(await admins()).toEqual([]);
  });

  it('no longer works once an admin exists', async () => {
    const path = await link();
    await sql.query(
      `INSERT INTO users (id, email, email_canonical, display_name, email_verified, is_platform_admin)
       VALUES (gen_random_uuid(), 'other@example.com', 'other@example.com', 'Other', true, true)`,
    );
    expect((await browser.get(path)).status).toBe(410);
    expect(await service.nest.get(FirstAdminLinks, { strict: false }).create()).toBeNull();
  });

  it('is replaced by the next one', async () => {
    const first = await link();
    const second = await link();
    expect([(await browser.get(first)).status, (await browser.get(second)).status]).toEqual([410, 200]);
  });

  it('expires after a week', async () => {
    const path = await link();
    await sql.query('UPDATE first_admin_links SET expires_at = now()');
    expect((await browser.get(path)).status).toBe(410);
  });

  it('is stored only as a hash', async () => {
    const token = (await link()).split('=')[1]!;
    const { rows } = await sql.query('SELECT l::text AS line FROM first_admin_links l');
    expect(rows.map(({ line }) => String(line)).join()).not.toContain(token);
  });

  it.each([
    ['a short password', { password: 'seven77' }, 'Use 8 characters or more.'],
    ['seven characters of four bytes each', { password: '🦊'.repeat(7) }, 'Use 8 characters or more.'],
    ['a password that is too long', { password: 'x'.repeat(257) }, 'Use at most 256 characters.'],
    ['a common password', { password: 'password123' }, 'This password is too common. Choose one that is only yours.'],
    [
      'a password with their name',
      { display_name: 'Gracehopper', password: 'gracehopper1' },
      'This password is too easy to guess: it contains your name or the app’s.',
    ],
    ['no e-mail address', { email: 'root' }, 'Enter a complete e-mail address.'],
    ['no name', { display_name: ' ' }, 'Enter your name'],
  ])('stays valid after %s', async (_what, wrong, message) => {
    const path = await link();
    const page = await browser.post(...(await filled(path, wrong)));
    expect(page.status).toBe(422);
    expect(page.body).toContain(message);
    expect(await admins()).toEqual([]);
    expect((await browser.post(...(await filled(path)))).status).toBe(303);
  });

  it('accepts a form only from its own page in the same browser', async () => {
    const [path, form] = await filled(await link());
    expect((await browser.post(path, { ...form, form_token: '' })).status).toBe(403);
    expect((await browser.post(path, form, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await new HostedBrowser(service.baseUrl).post(path, form)).status).toBe(403);
    expect(await admins()).toEqual([]);
  });

  it('shows that an address is taken, and stays valid', async () => {
    await sql.query(
      `INSERT INTO users (id, email, email_canonical, display_name) VALUES
       (gen_random_uuid(), 'taken@example.com', 'taken@example.com', 'Taken')`,
    );
    const path = await link();
    const page = await browser.post(...(await filled(path, { email: 'Taken@Example.com' })));
    expect(page.status).toBe(409);
    expect(page.body).toContain('An account with this address already exists. Use another address.');
    expect((await browser.get(path)).status).toBe(200);
  });
});
