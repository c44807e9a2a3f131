import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { actAs, OWN_LINK, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import { type HostedAnswer, type HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { acceptAlone, acceptNew, bearer, type InviteRecord, NOT_THEIRS, said } from '../../support/invites.js';
import { sessionOf } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

// security 91. Operators cannot gain rights for themselves through an impersonation, not even later.
describe('Invite created during an impersonation', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let operator: TestUser;
  let browser: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    tenant = await world.tenant();
    app = await world.app(tenant);
    operator = await world.user(undefined, { is_platform_admin: true });
    browser = await visitConsole(world, operator);
  });

  const tab = () => `/console/apps/${app.id}/invites`;
  const act = (as: string) => actAs(browser, as, 'Ticket');
  const exit = () => browser.get('/console/impersonate-exit', OWN_LINK);
  const newest = async () => (await world.asAdmin<InviteRecord[]>('GET', `/admin/apps/${app.id}/invites`))[0]!;
  const make = async (fields: Record<string, string> = {}): Promise<InviteRecord> => {
    const form = { send_to_email: '', max_uses: '5', expires_days: '7', role_admin: 'on', ...fields };
    expect((await sendConsoleForm(browser, tab(), tab(), form)).status).toBe(303);
    return newest();
  };
  const makeActing = async (fields: Record<string, string> = {}, as = `impersonate/${tenant.id}`) => {
    expect((await act(as)).status).toBe(303);
    const invite = await make(fields);
    expect((await exit()).status).toBe(302);
    return invite;
  };
  const rolesOf = async (user: { id: string }) =>
    (
      await world.sql<{ roles: string[] }>('SELECT roles FROM enrollments WHERE user_id = $1 AND app_id = $2', [
        user.id,
        app.id,
      ])
    )[0]?.roles;
  const usesOf = async ({ id }: InviteRecord) =>
    (await world.asAdmin<InviteRecord>('GET', `/admin/invites/${id}`)).use_count;
  const refusals = ({ id }: InviteRecord) =>
    world.sql(
      `SELECT user_id, app_id, tenant_id, outcome, metadata FROM audit_entries
       WHERE action = 'invite.refused' AND target_id = $1`,
      [id],
    );
  const refusal = () => ({
    user_id: operator.id,
    app_id: app.id,
    tenant_id: tenant.id,
    outcome: 'denied',
    metadata: { reason: 'made_while_acting' },
  });
  const asThemselves = () => ({ Cookie: `sso=${browser.cookie('sso')}` });
  const hosted = async (code: string): Promise<HostedAnswer> => {
    let page = await browser.get(loginPath(app, { invite_code: code }));
    while (page.location?.startsWith('/')) page = await browser.get(page.location);
    expect(page.body).toContain('Your invitation');
    return browser.submit(page, { code });
  };

  it('works for all users except its creator over the API', async () => {
    const invite = await makeActing();
    const { access_token } = await world.tokens(operator, tenant.consoleAppId);
    const body = { invite_code: invite.code, email: operator.email, display_name: 'X' };
    for (const headers of [asThemselves(), bearer(access_token)]) {
      expect(said(await acceptAlone(world, app, invite.code, {}, headers))).toEqual(NOT_THEIRS);
      expect(said(await world.call('POST', '/auth/invite', body, { headers }))).toEqual(NOT_THEIRS);
    }
    expect([await rolesOf(operator), await usesOf(invite)]).toEqual([undefined, 0]);
    expect(await refusals(invite)).toEqual([refusal(), refusal(), refusal(), refusal()]);
    const { status } = await acceptNew(world, app, invite.code);
    expect([status, await usesOf(invite)]).toEqual([200, 1]);
  });

  it('is rejected for its creator on the hosted pages', async () => {
    const invite = await makeActing();
    const answer = await hosted(invite.code);
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('sent to another address')]);
    expect([await rolesOf(operator), await usesOf(invite)]).toEqual([undefined, 0]);
    expect(await refusals(invite)).toEqual([refusal()]);
  });

  it('is rejected for its creator even if it was mailed to their own address', async () => {
    const invite = await makeActing({ send_to_email: operator.email, max_uses: '1' });
    expect(said(await acceptAlone(world, app, invite.code, {}, asThemselves()))).toEqual(NOT_THEIRS);
    expect([await rolesOf(operator), await refusals(invite)]).toEqual([undefined, [refusal()]]);
  });

  it.each([
    ['created during an impersonation, resent outside', true, false, 400],
    ['created and resent during an impersonation', true, true, 400],
    ['created outside, resent during an impersonation', false, true, 400],
    ['without restriction if created and resent outside', false, false, 200],
  ])('keeps its restriction when it is resent: %s', async (_, made, renewed, status) => {
    const { id } = await (made ? makeActing() : make());
    if (renewed) await act(`impersonate-app/${app.id}`);
    const question = `${tab()}/${id}/resend`;
    expect((await sendConsoleForm(browser, question, question)).status).toBe(303);
    if (renewed) await exit();
    const { code } = await newest();
    expect((await acceptAlone(world, app, code, {}, asThemselves())).status).toBe(status);
  });

  it('created by a tenant admin who impersonates the app is rejected for that admin too', async () => {
    operator = await world.tenantAdmin(tenant);
    browser = await visitConsole(world, operator);
    const invite = await makeActing({}, `impersonate-app/${app.id}`);
    expect(said(await acceptAlone(world, app, invite.code, {}, asThemselves()))).toEqual(NOT_THEIRS);
    expect([await rolesOf(operator), await refusals(invite)]).toEqual([undefined, [refusal()]]);
  });

  it('differs from the creator’s ordinary invite, and works for other users', async () => {
    const own = await make();
    expect((await hosted(own.code)).delivered.get('code')).not.toBeNull();
    expect(await rolesOf(operator)).toEqual(['user', 'admin']);
    const other = await world.user(app);
    const { code } = await makeActing();
    const { headers } = sessionOf(await world.login(other, app.id));
    expect((await acceptAlone(world, app, code, {}, headers)).status).toBe(200);
    expect(await rolesOf(other)).toEqual(['user', 'admin']);
  });

  it('names the creator and the impersonated tenant in the audit log', async () => {
    const invite = await makeActing();
    const [entry] = await world.sql(
      `SELECT actor_id, acting_as->>'id' AS as_id FROM audit_entries WHERE action = 'invite.created' AND target_id = $1`,
      [invite.id],
    );
    expect(entry).toEqual({ actor_id: operator.id, as_id: tenant.id });
  });
});
