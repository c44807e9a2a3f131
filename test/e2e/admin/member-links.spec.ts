import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { aadOfMail } from '../../../src/mail/sending/mail.service.js';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('Links that administrators have e-mailed to members', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const send = (link: 'reset-link' | 'verification-link', { id }: TestUser, appId = app.id) =>
    world.call('POST', `/admin/users/${id}/apps/${appId}/${link}`, undefined, { token: world.admin.token });
  const unverified = async () => {
    const user = await world.user(app);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [user.id]);
    return user;
  };
  const mailsTo = async ({ email }: TestUser) => {
    const rows = await world.sql<{ ref: string; sealed: string }>(
      `SELECT payload ->> 'ref' AS ref, payload ->> 'sealed' AS sealed FROM outbox_messages WHERE job = 'mail.send'`,
    );
    const box = service.nest.get(SecretBox, { strict: false });
    return rows
      .map(({ ref, sealed }) => JSON.parse(box.open(sealed, aadOfMail(ref))) as { to: string; template: string })
      .filter(({ to }) => to === email)
      .map(({ template }) => ({ template }));
  };
  const linksOf = ({ id }: TestUser) =>
    world.sql<{ purpose: string; app_id: string }>('SELECT purpose, app_id FROM mail_links WHERE user_id = $1', [id]);
  const entriesOf = ({ id }: TestUser) =>
    world.sql<{ action: string; actor_id: string; app_id: string; tenant_id: string }>(
      `SELECT action, actor_id, app_id, tenant_id FROM audit_entries WHERE user_id = $1 AND action LIKE 'user.%_sent'`,
      [id],
    );

  it.each([
    ['reset-link', 'reset_password', 'reset-password', 'user.reset_link_sent'],
    ['verification-link', 'verify_email', 'verify-email', 'user.verification_sent'],
  ] as const)('%s: goes to the member’s own address, with an audit entry', async (link, purpose, template, action) => {
    const user = await unverified();
    const answer = await send(link, user);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(await mailsTo(user)).toEqual([{ template }]);
    expect(await linksOf(user)).toEqual([{ purpose, app_id: app.id }]);
    expect(await entriesOf(user)).toEqual([{ action, actor_id: world.admin.id, app_id: app.id, tenant_id: tenant.id }]);
  });

  it.each<[string, number, string, (user: TestUser) => Promise<unknown>]>([
    ['a member of another app only', 404, 'Enrollment not found', (user) => leave(user)],
    ['a suspended member', 409, 'Enrollment is not active', (user) => set(user, 'suspended')],
    ['a member who waits for approval', 409, 'Enrollment is not active', (user) => set(user, 'pending')],
    [
      'a user who is switched off',
      409,
      'User is not active',
      ({ id }) => world.sql('UPDATE users SET is_active = false WHERE id = $1', [id]),
    ],
  ])('nothing is sent to %s', async (_, status, detail, prepare) => {
    const user = await unverified();
    await prepare(user);
    for (const link of ['reset-link', 'verification-link'] as const) {
      const answer = await send(link, user);
      expect([answer.status, answer.body]).toEqual([status, { detail }]);
    }
    expect([await mailsTo(user), await linksOf(user), await entriesOf(user)]).toEqual([[], [], []]);
  });

  const set = ({ id }: TestUser, status: string) =>
    world.sql('UPDATE enrollments SET status = $2 WHERE user_id = $1', [id, status]);
  const leave = ({ id }: TestUser) => world.sql('DELETE FROM enrollments WHERE user_id = $1', [id]);

  it('is refused for an app that is switched off, and for an address that is verified', async () => {
    const user = await world.user(app);
    const verified = await send('verification-link', user);
    expect([verified.status, verified.body]).toEqual([409, { detail: 'Email address is already verified' }]);
    const closed = await world.app(tenant);
    const member = await world.user(closed);
    await world.asAdmin('PUT', `/admin/apps/${closed.id}`, { is_active: false });
    const answer = await send('reset-link', member, closed.id);
    expect([answer.status, answer.body]).toEqual([409, { detail: 'App is not active' }]);
    expect([await mailsTo(user), await mailsTo(member)]).toEqual([[], []]);
  });

  it('returns 429 for the fourth in 15 minutes, whichever administrator asks', async () => {
    const user = await unverified();
    const statuses = [];
    for (const link of ['reset-link', 'verification-link', 'reset-link', 'reset-link'] as const)
      statuses.push((await send(link, user)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await mailsTo(user)).toHaveLength(3);
  });

  it('is a button in the menu of the membership in the Console, for an app admin of that app', async () => {
    const admin = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: app.id, roles: ['admin'] });
    const other = await world.app(tenant);
    const user = await unverified();
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: other.id, roles: [] });
    const browser = await visitConsole(world, admin);
    const path = `/console/users/${user.id}`;
    const page = await browser.get(path);
    expect(page.body).toContain(`action="${path}/apps/${app.id}/reset-link"`);
    expect(page.body).toContain(`action="${path}/apps/${app.id}/verification-link"`);
    const form = { form_token: contentToken(page) };
    const done = await browser.post(`${path}/apps/${app.id}/reset-link`, form);
    expect([done.status, done.location]).toEqual([303, path]);
    expect(contentWords(await browser.get(path))).toContain(`A password reset link was e-mailed to ${user.email}.`);
    expect((await browser.post(`${path}/apps/${other.id}/reset-link`, form)).status).toBe(403);
    expect(await mailsTo(user)).toEqual([{ template: 'reset-password' }]);
  });
});
