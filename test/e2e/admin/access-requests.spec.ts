import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import type { SmtpInbox } from '../../support/smtp.js';
import { type TestUser, PASSWORD, type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

describe('Request for access to an app', () => {
  let mailing: MailingService;
  let world: World;
  let smtp: SmtpInbox;
  let tenant: TestTenant;
  let app: TestClient;
  /** The token of an admin of the app. */
  let token: string;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world, smtp } = mailing);
    tenant = await world.tenant({ support_email: 'help@tenant.example' });
    app = await world.app(tenant, { registration_policy: 'approval' });
    token = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
  });

  afterAll(() => mailing.close());

  /** A user who has signed up at an app with the registration policy approval. */
  const applicant = async (at = app): Promise<TestUser> => {
    const email = `applicant-${unique()}@example.com`;
    const body = { email, password: PASSWORD, display_name: 'Applicant', app_id: at.id };
    const answer = await world.call('POST', '/auth/signup', body);
    expect([answer.status, answer.body]).toEqual([200, { status: 'pending_approval' }]);
    const [row] = await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]);
    return { id: row!.id, email, password: PASSWORD };
  };
  const approve = (id: string, at = app, as = token) =>
    world.call('PUT', `/admin/users/${id}/apps/${at.id}/approve`, undefined, { token: as });
  const deny = (id: string, at = app, as = token) =>
    world.call('DELETE', `/admin/users/${id}/apps/${at.id}/deny`, undefined, { token: as });
  const enrollment = async (id: string) =>
    (await world.sql<{ status: string }>('SELECT status FROM enrollments WHERE user_id = $1', [id]))[0]?.status;
  const entries = async (id: string, action: string) =>
    world.sql('SELECT tenant_id, app_id, actor_type FROM audit_entries WHERE user_id = $1 AND action = $2', [
      id,
      action,
    ]);

  it('lets the user sign in after an approval, which the audit log records', async () => {
    const user = await applicant();
    expect((await world.login(user, app.id)).status).toBe(403);
    const answer = await approve(user.id);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        status: 'ok',
        user_id: user.id,
        app_id: app.id,
        enrollment_status: 'active',
        email_verified: false,
        email_sent: true,
      },
    ]);
    expect((await world.login(user, app.id)).status).toBe(200);
    expect(await entries(user.id, 'enrollment.approved')).toEqual([
      { tenant_id: tenant.id, app_id: app.id, actor_type: 'user' },
    ]);
  });

  it('sends a mail about the approval with a link to the sign-in page, not to the app itself', async () => {
    const user = await applicant();
    await approve(user.id);
    const mail = await smtp.next(user.email, 'You have access');
    const link = `${world.baseUrl}/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}`;
    expect(mail.text).toContain(link);
    expect(mail.text!.match(/https?:\/\/\S+/g)).toEqual([link]);
    expect(mail.replyTo?.text).toBe('help@tenant.example');
    expect((await fetch(link, { redirect: 'manual', headers: { Accept: 'text/html' } })).status).toBe(200);
  });

  it('sends a mail about the approval without a link if the app has no redirect URI', async () => {
    const bare = await world.app(tenant, { registration_policy: 'approval', config: { redirect_uris: [] } });
    const user = await applicant(bare);
    expect((await approve(user.id, bare, world.admin.token)).status).toBe(200);
    const mail = await smtp.next(user.email, 'You have access');
    expect(mail.text).not.toMatch(/https?:\/\//);
  });

  it('is deleted after a denial without a mail, and the audit log records the denial', async () => {
    const user = await applicant();
    const answer = await deny(user.id);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(await enrollment(user.id)).toBeUndefined();
    expect((await world.login(user, app.id)).status).toBe(403);
    expect(await entries(user.id, 'enrollment.denied')).toHaveLength(1);
    const later = await applicant();
    await approve(later.id);
    await smtp.next(later.email, 'You have access');
    await quietOutbox(world);
    expect(smtp.to(user.email).map((mail) => mail.subject)).toEqual([
      expect.stringMatching(/^Confirm your e-mail address for /),
    ]);
  });

  it('returns 409 for the approval or denial of an active or suspended enrollment', async () => {
    const { id } = await world.user(app);
    const both = async () => [await approve(id), await deny(id)];
    for (const answer of await both())
      expect([answer.status, answer.body]).toEqual([409, { detail: 'Enrollment is not pending' }]);
    await world.asAdmin('POST', `/admin/users/${id}/suspend`, { app_id: app.id });
    for (const answer of await both())
      expect([answer.status, answer.body]).toEqual([409, { detail: 'Enrollment is not pending' }]);
    expect(await enrollment(id)).toBe('suspended');
    for (const action of ['enrollment.approved', 'enrollment.denied'])
      expect(await entries(id, action)).toHaveLength(0);
  });

  it('returns 404 for a user without a request at this app', async () => {
    const sibling = await world.app(tenant);
    const { id } = await applicant();
    for (const answer of [await approve(id, sibling, world.admin.token), await deny(id, sibling, world.admin.token)])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Enrollment not found' }]);
  });

  it('returns 404 or 403 to an admin of another app', async () => {
    const elsewhere = await world.app(await world.tenant(), { registration_policy: 'approval' });
    const { id } = await applicant(elsewhere);
    for (const answer of [await approve(id), await deny(id)])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'User not found' }]);
    for (const answer of [await approve(id, elsewhere), await deny(id, elsewhere)])
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    expect(await enrollment(id)).toBe('pending');
  });

  it('gets one decision from an approval and a denial at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await applicant();
      const [yes, no] = await Promise.all([approve(id), deny(id)]);
      // The later request finds an active enrollment, or none.
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([yes.status, no.status]);
      expect(await enrollment(id)).toBe(yes.status === 200 ? 'active' : undefined);
    }
  });
});
