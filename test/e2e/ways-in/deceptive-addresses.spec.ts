import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { DECEPTIVE_SPELLINGS } from '../../support/deceptive-addresses.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import {
  type Answer,
  type TestUser,
  type TestClient,
  type TestTenant,
  unique,
  type World,
} from '../../support/world.js';

const REFUSED = { loc: ['body', 'email'], msg: 'value is not a valid email address', type: 'value_error' };

/** Any look-alike will do where the door is what is tried; all of them are tried at one door and in the unit test. */
const SPELLINGS = DECEPTIVE_SPELLINGS.filter(([what]) =>
  ['a zero-width space', 'a long s', 'a bidirectional override'].includes(what),
);

describe('Email address that looks like another one', () => {
  let fixture: ConsoleFixture;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let owner: TestUser;
  let root: HostedBrowser;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    ({ world, tenant } = fixture);
    app = await world.app(tenant, { registration_policy: 'open' });
    owner = await world.user(app, { email: `nifi.s-${unique()}@example.com`, email_verified: true });
    root = await visitConsole(world, world.admin);
  });

  afterAll(() => fixture.close());

  const rows = async () => {
    const [counted] = await world.sql<{ users: number; invites: number; outbox: number; links: number }>(
      `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM invites) AS invites,
              (SELECT count(*)::int FROM outbox_messages) AS outbox, (SELECT count(*)::int FROM mail_links) AS links`,
    );
    return counted!;
  };
  const post = (path: string, body: object): Promise<Answer> =>
    world.call('POST', path, body, { token: world.admin.token });

  it.each(DECEPTIVE_SPELLINGS)('is rejected at sign-up: %s', async (_what, spell) => {
    const before = await rows();
    const fields = { email: spell(owner.email), display_name: 'Eve', password: 'correct horse', app_id: app.id };
    const answer = await world.call('POST', '/auth/signup', fields);
    expect([answer.status, answer.body]).toEqual([422, { detail: [REFUSED] }]);
    expect(await rows()).toEqual(before);
  });

  describe.each(SPELLINGS)('with %s', (_what, spell) => {
    const alike = () => spell(owner.email);

    it.each<[door: string, field: string, send: (email: string) => Promise<Answer>]>([
      ['POST /admin/users', 'email', (email) => post('/admin/users', { email, display_name: 'Eve' })],
      ['an invite', 'send_to_email', (email) => post(`/admin/apps/${app.id}/invites`, { send_to_email: email })],
      [
        'POST /admin/invites',
        'send_to_email',
        (email) => post('/admin/invites', { app_id: app.id, send_to_email: email }),
      ],
      ['naming a tenant admin', 'email', (email) => post(`/admin/tenants/${tenant.id}/admins`, { email })],
      [
        'the first admin of a tenant',
        'admin_email',
        (email) => post('/admin/tenants', { name: 'T', admin_email: email }),
      ],
      [
        'the support address of a new tenant',
        'support_email',
        (email) => post('/admin/tenants', { name: 'T', support_email: email }),
      ],
      [
        'the support address of a tenant',
        'support_email',
        (email) =>
          world.call('PATCH', `/admin/tenants/${tenant.id}`, { support_email: email }, { token: world.admin.token }),
      ],
    ])('is rejected by %s', async (_door, field, send) => {
      const before = await rows();
      const answer = await send(alike());
      expect([answer.status, answer.body]).toEqual([422, { detail: [{ ...REFUSED, loc: ['body', field] }] }]);
      expect(await rows()).toEqual(before);
    });

    it('is rejected when an invite is resent, and when it is accepted', async () => {
      const made = await post(`/admin/apps/${app.id}/invites`, { send_to_email: `else-${unique()}@example.com` });
      const { id, code } = made.body as { id: string; code: string };
      const again = await post(`/admin/invites/${id}/resend`, { send_to_email: alike() });
      expect([again.status, again.body]).toEqual([422, { detail: [{ ...REFUSED, loc: ['body', 'send_to_email'] }] }]);
      const user = { email: alike(), display_name: 'Eve', invite_code: code, app_id: app.id };
      for (const path of ['/auth/accept-invite', '/auth/invite']) {
        const answer = await world.call('POST', path, user);
        expect([path, answer.status, answer.body]).toEqual([path, 422, { detail: [REFUSED] }]);
      }
    });

    it('is rejected in an imported document with its place', async () => {
      const before = await rows();
      const users = [
        { email: 'fine@example.com', display_name: 'Fine' },
        { email: alike(), display_name: 'Eve' },
      ];
      const document = { tenant: { name: 'Imported' }, apps: [{ name: 'A', users }] };
      const answer = await post('/admin/tenants/import', document);
      const loc = ['body', 'apps', 0, 'users', 1, 'email'];
      expect([answer.status, answer.body]).toEqual([422, { detail: [{ ...REFUSED, loc }] }]);
      expect(await rows()).toEqual(before);
    });

    it('does not sign in with the right password', async () => {
      const answer = await world.login({ ...owner, email: alike() }, app.id);
      expect([answer.status, answer.body]).toEqual([401, { detail: 'Invalid email or password' }]);
      const hosted = await new HostedBrowser(world.baseUrl).signIn(loginPath(app), alike(), owner.password);
      expect([hosted.status, hosted.location]).toEqual([401, null]);
    });

    it('gets the usual answer 200, but no mail', async () => {
      const before = await rows();
      const body = { email: alike(), app_id: app.id, redirect_uri: app.redirectUri };
      for (const path of ['/auth/forgot-password', '/auth/magic-link/request', '/auth/magic-link'])
        expect([
          path,
          (await world.call('POST', path, path.includes('forgot') ? { email: alike(), app_id: app.id } : body)).status,
        ]).toEqual([path, 200]);
      expect(await rows()).toEqual(before);
    });

    it('gets an error on the hosted pages for sign-up and forgotten passwords', async () => {
      const before = await rows();
      for (const [way, fields] of [
        ['sign_up', { email: alike(), display_name: 'Eve', password: 'correct horse' }],
        ['forgot', { email: alike() }],
      ] as const) {
        const browser = new HostedBrowser(world.baseUrl);
        const page = await browser.get(loginPath(app));
        const link = new RegExp(`(?:href|formaction)="([^"]*[/=]${way})"`).exec(page.body)![1]!;
        const answer = await browser.submit(await browser.get(link), fields);
        expect([way, answer.status]).toEqual([way, 422]);
        expect(answer.body).toContain('invisible or only look like letters');
      }
      expect(await rows()).toEqual(before);
    });

    it('is rejected by the Console’s forms', async () => {
      const before = await rows();
      const settings = `/console/tenants/${tenant.id}`;
      for (const [from, to, fields] of [
        ['/console/users/new', '/console/users', { email: alike(), display_name: 'Eve' }],
        [`${settings}/admins`, `${settings}/admins`, { email: alike() }],
        ['/console/tenants/new', '/console/tenants', { name: 'T', admin_email: alike() }],
        [settings, settings, { name: 'T', support_email: alike() }],
        [
          `/console/apps/${app.id}/invites`,
          `/console/apps/${app.id}/invites`,
          { send_to_email: alike(), role_user: 'on' },
        ],
      ] as const) {
        const answer = await sendConsoleForm(root, from, to, fields);
        expect([to, answer.status]).toEqual([to, 422]);
        expect(contentWords(answer)).toMatch(/e-mail address/i);
      }
      expect(await rows()).toEqual(before);
    });

    it('is found as the plain address by the user search', async () => {
      for (const path of [`/admin/users?search=`, `/admin/users/search?q=`]) {
        const found = await world.asAdmin<{ id: string }[]>('GET', `${path}${encodeURIComponent(alike())}`);
        expect([path, found.map(({ id }) => id)]).toEqual([path, [owner.id]]);
      }
    });
  });
});
