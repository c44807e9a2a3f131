import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, said } from '../../support/invites.js';
import { newcomer, ssoCookieOf } from '../../support/newcomer.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('POST /auth/request-access', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let home: TestClient;
  let approval: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    home = await world.app(tenant, { registration_policy: 'open' });
    approval = await world.app(tenant, {
      registration_policy: 'approval',
      config: { available_roles: ['user', 'guest'], auto_assign_roles: ['user', 'guest'] },
    });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const ask = async (person: Person, app: { id: string }, fields: object = {}, more: Record<string, string> = {}) => {
    const Cookie = ssoCookieOf(await world.login(person, home.id))!;
    return world.call('POST', '/auth/request-access', { app_id: app.id, ...fields }, { headers: { Cookie, ...more } });
  };
  const enrollments = (person: Person, app: { id: string }) =>
    world.sql('SELECT status, roles FROM enrollments WHERE user_id = $1 AND app_id = $2', [person.id, app.id]);
  const audited = (person: Person, app: { id: string }) =>
    world.sql(
      `SELECT action, metadata FROM audit_entries WHERE user_id = $1 AND app_id = $2 AND action LIKE 'enrollment.%'`,
      [person.id, app.id],
    );

  it('at an app that approves: waits, with what they said, and may not enter yet', async () => {
    const person = await world.person(home);
    expect(said(await ask(person, approval, { message: ' I am the new one from sales. ' }))).toEqual([
      200,
      { status: 'pending' },
    ]);
    expect(await enrollments(person, approval)).toEqual([{ status: 'pending', roles: ['user', 'guest'] }]);
    expect(await audited(person, approval)).toEqual([
      {
        action: 'enrollment.pending',
        metadata: { roles: ['user', 'guest'], by: 'request', message: 'I am the new one from sales.' },
      },
    ]);
    expect(said(await world.login(person, approval.id))).toEqual([403, { detail: 'You do not have access' }]);
  });

  it('asked again answers the same and changes nothing', async () => {
    const person = await world.person(home);
    for (let time = 0; time < 3; time++) expect((await ask(person, approval)).body).toEqual({ status: 'pending' });
    expect(await audited(person, approval)).toHaveLength(1);
  });

  it('asked many times at once: one enrollment, one entry', async () => {
    const person = await world.person(home);
    const Cookie = ssoCookieOf(await world.login(person, home.id))!;
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        world.call('POST', '/auth/request-access', { app_id: approval.id }, { headers: { Cookie } }),
      ),
    );
    for (const answer of answers) expect(said(answer)).toEqual([200, { status: 'pending' }]);
    expect(await audited(person, approval)).toHaveLength(1);
  });

  it('at an open app: is in', async () => {
    const person = await world.person(home);
    const open = await world.app(tenant, { registration_policy: 'open' });
    expect(said(await ask(person, open))).toEqual([200, { status: 'active' }]);
    expect((await world.login(person, open.id)).status).toBe(200);
    expect(await audited(person, open)).toEqual([
      { action: 'enrollment.created', metadata: { roles: ['user'], by: 'request' } },
    ]);
  });

  it('by who is in already: says so', async () => {
    const person = await world.person(home);
    expect(said(await ask(person, home))).toEqual([200, { status: 'active' }]);
  });

  // security 80
  it('at an app that invites, and at every Console: asks for a code', async () => {
    const person = await world.person(home);
    const invite = await world.app(tenant);
    await world.sql(`UPDATE apps SET registration_policy = 'open' WHERE id = $1`, [tenant.consoleAppId]);
    for (const id of [invite.id, tenant.consoleAppId, world.platformConsoleId]) {
      expect(said(await ask(person, { id }))).toEqual([400, { detail: 'This app requires an invite code' }]);
      expect(await enrollments(person, { id })).toEqual([]);
    }
  });

  it('by who is suspended there: stays out', async () => {
    const person = await world.person(home);
    await world.asAdmin('PUT', `/admin/users/${person.id}/roles`, { app_id: approval.id, roles: [] });
    await world.asAdmin('POST', `/admin/users/${person.id}/suspend`, { app_id: approval.id });
    expect(said(await ask(person, approval))).toEqual([403, { detail: 'Account suspended' }]);
  });

  it('at no app, or one that is off: 400', async () => {
    const person = await world.person(home);
    const off = await world.app(tenant, { registration_policy: 'open' });
    await world.asAdmin('PUT', `/admin/apps/${off.id}`, { is_active: false });
    for (const id of ['00000000-0000-4000-8000-000000000000', off.id])
      expect(said(await ask(person, { id }))).toEqual([400, { detail: 'Invalid app_id' }]);
  });

  it('needs the SSO session: neither nothing nor a bearer token will do', async () => {
    const person = await newcomer(world, home);
    const ways: Record<string, string>[] = [{}, bearer(person.tokens.access_token), { Cookie: 'sso=nonsense' }];
    for (const headers of ways)
      expect(said(await world.call('POST', '/auth/request-access', { app_id: approval.id }, { headers }))).toEqual([
        401,
        { detail: 'Not authenticated' },
      ]);
  });

  it('is not driven by a page of another origin', async () => {
    const person = await world.person(home);
    const foreign: Record<string, string>[] = [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'same-site' }];
    for (const headers of foreign) expect((await ask(person, approval, {}, headers)).status).toBe(403);
    expect(await enrollments(person, approval)).toEqual([]);
  });

  it('takes a message of at most 1000 characters', async () => {
    const person = await world.person(home);
    expect((await ask(person, approval, { message: 'x'.repeat(1001) })).status).toBe(422);
    expect((await ask(person, approval, { message: '🙂'.repeat(1000) })).status).toBe(200);
  });
});
