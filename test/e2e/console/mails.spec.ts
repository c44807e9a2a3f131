import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import { newInvite } from '../../support/invites.js';
import { newAddress } from '../../support/new-user.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient } from '../../support/world.js';

describe('Console: e-mails', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    app = await fixture.world.app(fixture.tenant, { name: 'Shop' });
    other = await fixture.world.app(fixture.tenant, { name: 'Depot' });
  });

  afterAll(() => fixture.close());

  /** A reset link, mailed to a new member. The service has no mail server, so the outcome is written here. */
  async function mailed(state = 'sent', at = app): Promise<{ user: TestUser; id: string }> {
    const user = await fixture.world.user(at);
    await fixture.world.asAdmin('POST', `/admin/users/${user.id}/apps/${at.id}/reset-link`);
    // Its job ends without a mail server.
    await eventually('the job has ended', async () => {
      const ended = "SELECT 1 FROM mail_log WHERE user_id = $1 AND state <> 'queued'";
      return (await fixture.world.sql(ended, [user.id])).length === 1;
    });
    const [row] = await fixture.world.sql<{ id: string }>(
      'UPDATE mail_log SET state = $2, smtp_status = 550, ended_at = now() WHERE user_id = $1 RETURNING id',
      [user.id, state],
    );
    return { user, id: row!.id };
  }
  const count = async ({ id }: TestUser) =>
    (await fixture.world.sql('SELECT id FROM mail_log WHERE user_id = $1', [id])).length;

  it('are listed with kind, address, app and state, and filtered by address, state and kind', async () => {
    const { user } = await mailed('bounced');
    const find = async (query: Record<string, string>) =>
      contentWords(await fixture.browser.get(`/console/mails?${new URLSearchParams(query).toString()}`));
    const found = await find({ q: user.email, state: 'bounced', template: 'reset-password', app_id: app.id });
    expect(found).toContain('Set a new password');
    expect(found).toContain('The mail server refused it (550)');
    expect(await find({ q: user.email, state: 'sent' })).toContain('No matching e-mails.');
    expect((await fixture.browser.get('/console/mails?app_id=shop')).status).toBe(422);
  });

  it('are found by a part of the address, by the name and by the beginning of the ID, as far as they may be seen', async () => {
    const { user } = await mailed();
    const mark = user.id.slice(-8);
    await fixture.world.sql('UPDATE users SET display_name = $2 WHERE id = $1', [user.id, `Jürgen ${mark}`]);
    const searches = [user.email.slice(0, 12).toUpperCase(), `${mark} jurgen`, user.id.slice(0, 13)];
    const found = async (path: string, q: string) =>
      (await fixture.browser.get(`${path}?${new URLSearchParams({ q }).toString()}`)).body.includes(user.email);
    for (const q of searches) {
      expect([q, await found('/console/mails', q)]).toEqual([q, true]);
      expect([q, await found(`/console/apps/${app.id}/mails`, q)]).toEqual([q, true]);
    }
    expect(await found('/console/mails', `${mark} nobody`)).toBe(false);
    // Those who have left are found by the address that was mailed, not by the name that they have now.
    const admin = await visitConsole(fixture.world, await fixture.world.user(app, { roles: ['admin'] }));
    const seen = async (q: string) =>
      (await admin.get(`/console/mails?${new URLSearchParams({ q }).toString()}`)).body.includes(user.email);
    expect(await seen(searches[1]!)).toBe(true);
    await fixture.world.sql('DELETE FROM enrollments WHERE user_id = $1', [user.id]);
    expect([await seen(searches[1]!), await seen(searches[0]!)]).toEqual([false, true]);
  });

  it('of an app and of a user are on their pages, also invites to the user’s address', async () => {
    const { user } = await mailed();
    await newInvite(fixture.world, other, { send_to_email: user.email });
    const ofUser = await fixture.browser.get(`/console/users/${user.id}/mails`);
    expect(contentWords(ofUser)).toContain('You are invited');
    expect(contentWords(ofUser)).toContain('Set a new password');
    const ofApp = contentWords(await fixture.browser.get(`/console/apps/${app.id}/mails`));
    expect(ofApp).toContain(user.email);
    expect(
      contentWords(await fixture.browser.get(`/console/apps/${other.id}/mails?template=reset-password`)),
    ).not.toContain(user.email);
  });

  it('are sent again with a button, which comes back to the list; what cannot be sent again says why', async () => {
    const { user, id } = await mailed();
    const path = `/console/users/${user.id}/mails`;
    const press = async () => {
      const form = { form_token: contentToken(await fixture.browser.get(path)), back: path };
      return fixture.browser.post(`/console/mails/${id}/resend`, form);
    };
    const done = await press();
    expect([done.status, done.location]).toEqual([303, path]);
    const page = contentWords(await fixture.browser.get(path));
    expect(page).toContain(`A new e-mail to ${user.email} was queued.`);
    expect(await count(user)).toBe(2);
    await fixture.world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
    await press();
    expect(contentWords(await fixture.browser.get(path))).toContain('Not sent: User is not active.');
    await fixture.world.sql(`UPDATE mail_log SET template = 'magic-link' WHERE id = $1`, [id]);
    expect(contentWords(await fixture.browser.get(path))).toContain('A sign-in link belongs to the sign-in');
    expect(await count(user)).toBe(2);
  });

  it('lead back to pages of the list only', async () => {
    const { id } = await mailed();
    const form_token = contentToken(await fixture.browser.get('/console/mails'));
    const sent = await fixture.browser.post(`/console/mails/${id}/resend`, {
      form_token,
      back: 'https://evil.example/mails',
    });
    expect(sent.location).toBe('/console/mails');
  });

  it('of other apps are hidden from an app admin, who cannot send them again', async () => {
    const admin = await fixture.world.user(app, { roles: ['admin'] });
    const browser = await visitConsole(fixture.world, admin);
    const [own, foreign] = [await mailed(), await mailed('sent', other)];
    const list = await browser.get('/console/mails');
    expect(list.body).toContain(own.user.email);
    expect(list.body).not.toContain(foreign.user.email);
    expect((await browser.get(`/console/apps/${other.id}/mails`)).status).toBe(403);
    const sent = await browser.post(`/console/mails/${foreign.id}/resend`, { form_token: contentToken(list) });
    expect(sent.status).toBe(404);
    expect(await count(foreign.user)).toBe(1);
  });

  it('to an address with markup are shown as text', async () => {
    const email = newAddress();
    await newInvite(fixture.world, app, { send_to_email: email });
    await fixture.world.sql(`UPDATE mail_log SET recipient = '"<b>x</b>"@example.com' WHERE recipient = $1`, [email]);
    const page = await fixture.browser.get('/console/mails');
    expect(page.body).toContain('&lt;b&gt;x&lt;/b&gt;');
    expect(page.body).not.toContain('<b>x</b>');
  });
});
