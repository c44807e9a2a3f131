import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { aadOfMail } from '../../../src/mail/sending/mail.service.js';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Person, type TestClient, type TestTenant, World } from '../../support/world.js';

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

  const send = (link: 'reset-link' | 'verification-link', { id }: Person, appId = app.id) =>
    world.call('POST', `/admin/users/${id}/apps/${appId}/${link}`, undefined, { token: world.admin.token });
  const unverified = async () => {
    const person = await world.person(app);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [person.id]);
    return person;
  };
  const mailsTo = async ({ email }: Person) => {
    const rows = await world.sql<{ ref: string; sealed: string }>(
      `SELECT payload ->> 'ref' AS ref, payload ->> 'sealed' AS sealed FROM outbox_messages WHERE job = 'mail.send'`,
    );
    const box = service.nest.get(SecretBox, { strict: false });
    return rows
      .map(({ ref, sealed }) => JSON.parse(box.open(sealed, aadOfMail(ref))) as { to: string; template: string })
      .filter(({ to }) => to === email)
      .map(({ template }) => ({ template }));
  };
  const linksOf = ({ id }: Person) =>
    world.sql<{ purpose: string; app_id: string }>('SELECT purpose, app_id FROM mail_links WHERE user_id = $1', [id]);
  const entriesOf = ({ id }: Person) =>
    world.sql<{ action: string; actor_id: string; app_id: string; tenant_id: string }>(
      `SELECT action, actor_id, app_id, tenant_id FROM audit_entries WHERE user_id = $1 AND action LIKE 'user.%_sent'`,
      [id],
    );

  it.each([
    ['reset-link', 'reset_password', 'reset-password', 'user.reset_link_sent'],
    ['verification-link', 'verify_email', 'verify-email', 'user.verification_sent'],
  ] as const)('%s: goes to the member’s own address, with an audit entry', async (link, purpose, template, action) => {
    const person = await unverified();
    const answer = await send(link, person);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(await mailsTo(person)).toEqual([{ template }]);
    expect(await linksOf(person)).toEqual([{ purpose, app_id: app.id }]);
    expect(await entriesOf(person)).toEqual([
      { action, actor_id: world.admin.id, app_id: app.id, tenant_id: tenant.id },
    ]);
  });

  it.each<[string, number, string, (person: Person) => Promise<unknown>]>([
    ['a member of another app only', 404, 'Enrollment not found', (person) => leave(person)],
    ['a suspended member', 409, 'Enrollment is not active', (person) => set(person, 'suspended')],
    ['a member who waits for approval', 409, 'Enrollment is not active', (person) => set(person, 'pending')],
    [
      'a user who is switched off',
      409,
      'User is not active',
      ({ id }) => world.sql('UPDATE users SET is_active = false WHERE id = $1', [id]),
    ],
  ])('nothing is sent to %s', async (_, status, detail, prepare) => {
    const person = await unverified();
    await prepare(person);
    for (const link of ['reset-link', 'verification-link'] as const) {
      const answer = await send(link, person);
      expect([answer.status, answer.body]).toEqual([status, { detail }]);
    }
    expect([await mailsTo(person), await linksOf(person), await entriesOf(person)]).toEqual([[], [], []]);
  });

  const set = ({ id }: Person, status: string) =>
    world.sql('UPDATE enrollments SET status = $2 WHERE user_id = $1', [id, status]);
  const leave = ({ id }: Person) => world.sql('DELETE FROM enrollments WHERE user_id = $1', [id]);

  it('is refused for an app that is switched off, and for an address that is verified', async () => {
    const person = await world.person(app);
    const verified = await send('verification-link', person);
    expect([verified.status, verified.body]).toEqual([409, { detail: 'Email address is already verified' }]);
    const closed = await world.app(tenant);
    const member = await world.person(closed);
    await world.asAdmin('PUT', `/admin/apps/${closed.id}`, { is_active: false });
    const answer = await send('reset-link', member, closed.id);
    expect([answer.status, answer.body]).toEqual([409, { detail: 'App is not active' }]);
    expect([await mailsTo(person), await mailsTo(member)]).toEqual([[], []]);
  });

  it('returns 429 for the fourth in 15 minutes, whichever administrator asks', async () => {
    const person = await unverified();
    const statuses = [];
    for (const link of ['reset-link', 'verification-link', 'reset-link', 'reset-link'] as const)
      statuses.push((await send(link, person)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await mailsTo(person)).toHaveLength(3);
  });

  it('is a button in the menu of the membership in the Console, for an app admin of that app', async () => {
    const admin = await world.person(app);
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: app.id, roles: ['admin'] });
    const other = await world.app(tenant);
    const person = await unverified();
    await world.asAdmin('PUT', `/admin/users/${person.id}/roles`, { app_id: other.id, roles: [] });
    const browser = await visitConsole(world, admin);
    const path = `/console/users/${person.id}`;
    const page = await browser.get(path);
    expect(page.body).toContain(`action="${path}/apps/${app.id}/reset-link"`);
    expect(page.body).toContain(`action="${path}/apps/${app.id}/verification-link"`);
    const form = { form_token: contentToken(page) };
    const done = await browser.post(`${path}/apps/${app.id}/reset-link`, form);
    expect([done.status, done.location]).toEqual([303, path]);
    expect(contentWords(await browser.get(path))).toContain(`A password reset link was e-mailed to ${person.email}.`);
    expect((await browser.post(`${path}/apps/${other.id}/reset-link`, form)).status).toBe(403);
    expect(await mailsTo(person)).toEqual([{ template: 'reset-password' }]);
  });
});
