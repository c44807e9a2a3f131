import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentWords, visitConsole } from '../../../support/console-visitor.js';
import type { HostedBrowser } from '../../../support/hosted-page.js';
import { type InviteRecord, newInvite } from '../../../support/invites.js';
import { type TestClient, unique } from '../../../support/world.js';

describe('Console: invites of an app', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let tab: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    app = await fixture.world.app(fixture.tenant, { name: 'Shop' });
    tab = `/console/apps/${app.id}/invites`;
  });

  const all = () => fixture.world.asAdmin<InviteRecord[]>('GET', `/admin/apps/${app.id}/invites`);
  const manager = async (): Promise<HostedBrowser> =>
    visitConsole(fixture.world, await fixture.world.user(app, { roles: ['manager'] }));

  it('are created with roles, a number of uses, a lifetime and an email address', async () => {
    const send_to_email = `invited-${unique()}@example.com`;
    const fields = { send_to_email, role_manager: 'on', max_uses: '3', expires_days: '2' };
    const answer = await fixture.fill(tab, fields);
    expect([answer.status, answer.location]).toEqual([303, tab]);
    const [made] = await all();
    expect(made).toMatchObject({ email: send_to_email, roles: ['user', 'manager'], max_uses: 3, status: 'usable' });
    const days = (Date.parse(made!.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(1.9);
    expect(days).toBeLessThan(2.01);
    const page = await fixture.browser.get(tab);
    expect(contentWords(page)).toContain(`The invite was sent to ${send_to_email}`);
    expect(page.body).toContain(made!.code);
    const [, search] = /action="\/console\/invites"([\s\S]*?)<\/form>/.exec(page.body) ?? [];
    expect(search).toContain(`name="app_id" value="${app.id}"`);
    expect(search).toContain('name="q"');
  });

  it.each([
    ['max_uses', 'many', 'Enter a whole number.'],
    ['max_uses', '0', 'Enter 1 or more.'],
    ['expires_days', '400', 'Enter 365 or less.'],
    ['send_to_email', 'nobody', 'Enter an e-mail address'],
  ])('are not created with %s %j, and the error is shown beside the field', async (field, value, message) => {
    const answer = await fixture.fill(tab, { [field]: value, role_admin: 'on' });
    expect([answer.status, contentWords(answer)]).toEqual([422, expect.stringContaining(message)]);
    expect(answer.body).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
    expect(answer.body).toMatch(/id="role_admin"[^>]*checked/);
    expect(await all()).toEqual([]);
  });

  it('are revoked after a confirmation', async () => {
    const { id, code } = await newInvite(fixture.world, app);
    expect(contentWords(await fixture.browser.get(`${tab}/${id}/revoke`))).toContain('Revoke this invite?');
    expect((await all())[0]!.status).toBe('usable');
    expect((await fixture.press(`${tab}/${id}/revoke`, `${tab}/${id}/revoke`)).status).toBe(303);
    expect((await all())[0]!.status).toBe('exhausted');
    expect((await fixture.browser.get(tab)).body).not.toContain(code);
  });

  it('are resent as a new invite, and the old code no longer works', async () => {
    const email = `invited-${unique()}@example.com`;
    const { id } = await newInvite(fixture.world, app, { send_to_email: email, max_uses: 2 });
    const question = `${tab}/${id}/resend`;
    expect(contentWords(await fixture.browser.get(question))).toContain('stop working immediately');
    expect((await all())[0]!.status).toBe('usable');
    expect((await fixture.press(question, question)).status).toBe(303);
    const [fresh, old] = await all();
    expect(fresh).toMatchObject({ email, max_uses: 2, status: 'usable' });
    expect(old).toMatchObject({ id, status: 'exhausted' });
  });

  it('of another app return 404 under this app’s path', async () => {
    const other = await newInvite(fixture.world, await fixture.world.app(fixture.tenant));
    for (const act of ['revoke', 'resend'])
      expect([act, (await fixture.browser.get(`${tab}/${other.id}/${act}`)).status]).toEqual([act, 404]);
    for (const act of ['revoke', 'resend'])
      expect([act, (await fixture.press(tab, `${tab}/${other.id}/${act}`)).status]).toEqual([act, 404]);
    const now = await fixture.world.asAdmin<InviteRecord>('GET', `/admin/invites/${other.id}`);
    expect(now.status).toBe('usable');
  });

  it('are the only tab that a manager sees of the app, without invites that grant rights', async () => {
    const browser = await manager();
    await newInvite(fixture.world, app, { roles: ['admin'] });
    const mine = await newInvite(fixture.world, app);
    for (const path of [tab, `/console/apps/${app.id}`]) {
      const page = await browser.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.body).toContain(mine.code);
      expect(page.body.match(/<nav class="tabs"[\s\S]*?<\/nav>/)![0].match(/<li>/g)).toHaveLength(1);
      expect(page.body).not.toContain((await fixture.shown(app)).bundle_id);
      expect(page.body).not.toMatch(/\/(?:revoke|resend)"/);
      expect(page.body).not.toContain('name="role_');
    }
    const made = await fixture.fill(tab, { max_uses: '2' }, browser);
    expect([made.status, (await all())[0]]).toEqual([303, expect.objectContaining({ roles: ['user'], max_uses: 2 })]);
  });

  it('cannot grant rights when a manager creates them, and a manager cannot revoke or resend them', async () => {
    const browser = await manager();
    const { id } = await newInvite(fixture.world, app);
    const before = await all();
    for (const role of ['role_admin', 'role_manager'])
      expect([role, (await fixture.fill(tab, { [role]: 'on' }, browser)).status]).toEqual([role, 403]);
    for (const act of ['revoke', 'resend'])
      expect([act, (await fixture.press(tab, `${tab}/${id}/${act}`, browser)).status]).toEqual([act, 403]);
    expect(await all()).toEqual(before);
  });
});
