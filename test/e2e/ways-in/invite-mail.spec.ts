import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptNew, codeIn, type InviteRecord, newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress } from '../../support/new-user.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type TestTenant, type World } from '../../support/world.js';

describe('Invite mail', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant({ name: 'Acme', support_email: 'help@acme.example' });
    app = await world.app(tenant, { name: 'Shop' });
  });

  afterAll(() => mailing.close());

  const next = (email: string) => mailing.smtp.next(email, 'You are invited');

  it('names the inviter, the app, the expiry and the link', async () => {
    const email = newAddress();
    await newInvite(world, app, { send_to_email: email, expires_days: 3 });
    const mail = await next(email);
    expect(mail.recipients).toEqual([email]);
    const code = codeIn(mail);
    for (const text of [mail.text!, mail.html as string]) {
      expect(text).toContain('Root invites you to Shop.');
      expect(text).toContain('is valid for 3 days');
      expect(text).toContain(email);
    }
    expect(mail.text).toContain(`${mailing.service.baseUrl}/invite?code=${code}`);
    expect(mail.text).toContain(`If the app asks for a code: ${code}`);
    expect(mail.replyTo?.text).toBe('help@acme.example');
  });

  it('names no inviter for a service token', async () => {
    const email = newAddress();
    const token = await world.serviceToken(app, 'invites:create');
    await world.call('POST', '/admin/invites', { app_id: app.id, send_to_email: email }, { token });
    expect((await next(email)).text).toContain('You are invited to Shop.');
  });

  // security 32
  it('shows an inviter’s name as plain text: no markup, no link, no line break', async () => {
    const email = newAddress();
    const name = '<b>Ada</b> http://evil.example/win\r\nBcc: all@example.com';
    await world.sql('UPDATE users SET display_name = $2 WHERE id = $1', [world.admin.id, name]);
    try {
      await newInvite(world, app, { send_to_email: email });
      const mail = await next(email);
      expect(mail.recipients).toEqual([email]);
      expect(mail.html as string).toContain('&lt;b&gt;Ada&lt;');
      for (const text of [mail.text!, mail.html as string]) expect(text).not.toContain('http://evil.example');
      expect(mail.text).toMatch(/^<b>Ada<.*all@\u200bexample.* invites you to Shop\.$/m);
    } finally {
      await world.sql(`UPDATE users SET display_name = 'Root' WHERE id = $1`, [world.admin.id]);
    }
  });

  it('contains a code that no answer and no row shows', async () => {
    const email = newAddress();
    const made = await newInvite(world, app, { send_to_email: email });
    const code = codeIn(await next(email));
    expect(code).not.toBe(made.code);
    const list = await world.asAdmin<InviteRecord[]>('GET', `/admin/apps/${app.id}/invites`);
    expect(JSON.stringify(list)).toContain(made.code);
    expect(JSON.stringify(list)).not.toContain(code);
    for (const table of ['invites', 'audit_entries', 'outbox_messages'])
      expect(await world.sql(`SELECT 1 FROM ${table} t WHERE to_jsonb(t)::text LIKE $1`, [`%${code}%`])).toEqual([]);
  });

  it('is resent with another code, and the first code no longer works', async () => {
    const email = newAddress();
    const made = await newInvite(world, app, { send_to_email: email });
    const first = codeIn(await next(email));
    await world.asAdmin('POST', `/admin/invites/${made.id}/resend`);
    const second = await eventually('a second mail', () =>
      mailing.smtp
        .to(email)
        .map(codeIn)
        .find((code) => code !== first),
    );
    expect((await acceptNew(world, app, first, { email })).status).toBe(400);
    expect((await acceptNew(world, app, second, { email })).status).toBe(200);
  });

  it('waits where no sign-in link waits, in turn with other tenants and other apps of its own', async () => {
    const email = newAddress();
    const link = await world.user(app);
    await newInvite(world, app, { send_to_email: email });
    await world.call('POST', '/auth/forgot-password', { email: link.email, app_id: app.id });
    const queued = await eventually('both mails', async () => {
      const rows = await world.sql(
        `SELECT l.template, o.queue, o.group_key = a.tenant_id || '/' || a.id AS "inTurn" FROM outbox_messages o
         JOIN mail_log l ON l.id = o.id JOIN apps a ON a.id = $2 WHERE l.recipient = ANY($1) ORDER BY 1`,
        [[email, link.email], app.id],
      );
      return rows.length === 2 && rows;
    });
    expect(queued).toEqual([
      { template: 'invite', queue: 'notices', inTurn: true },
      { template: 'reset-password', queue: 'mail', inTurn: true },
    ]);
  });

  it('is not sent after the invite has ended', async () => {
    const email = newAddress();
    await newInvite(world, app, { send_to_email: email, expires_days: 1 });
    const rows = await world.sql<{ hours: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM outbox_messages ORDER BY created_at DESC LIMIT 1`,
    );
    expect(rows[0]!.hours).toBeGreaterThan(23.5);
    expect(rows[0]!.hours).toBeLessThanOrEqual(24.1);
  });
});
