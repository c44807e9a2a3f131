import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TransferFixture } from '../../support/transfer-fixture.js';
import { type TestUser, type TestTenant, unique, type World } from '../../support/world.js';

const HASH = '$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234';

// security 27, 29, 80, 114
describe('Addresses in an import that already have an account', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let tenantAdmin: string;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant();
    tenantAdmin = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
  });

  afterAll(() => fixture.close());

  const row = async (user: Pick<TestUser, 'id'>) =>
    (await world.sql<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [user.id]))[0]!;
  const enrolled = async (user: Pick<TestUser, 'id'>, appId: string) =>
    world.sql('SELECT roles, status FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, appId]);
  const bring = (users: object[], token?: string) =>
    fixture.importApp({ tenant_id: tenant.id, app: { name: 'x', bundle_id: `com.x.${unique()}` }, users }, token);
  /** Says everything that an account could be made to be. */
  const claim = (user: Pick<TestUser, 'email'>, more: object = {}) => ({
    email: user.email,
    display_name: 'Somebody else',
    email_verified: true,
    is_platform_admin: true,
    is_active: false,
    roles: ['admin'],
    ...more,
  });

  it('are enrolled without other changes', async () => {
    const user = await world.user(await world.app(tenant));
    const before = await row(user);
    const { status, body } = await bring([claim({ email: user.email.toUpperCase() }, { password_hash: HASH })]);
    expect([status, body.users]).toEqual([201, { created: 0, enrolled: 1, unchanged: [] }]);
    expect(await row(user)).toEqual(before);
    expect(await enrolled(user, body.id)).toEqual([{ roles: ['user', 'admin'], status: 'active' }]);
    const tokens = await world.tokens(user, body.id);
    expect(tokens.access_token).toEqual(expect.any(String));
  });

  it('gain nothing if the address is unverified, for every importer', async () => {
    const app = await world.app(tenant);
    const squatter = await world.user(app, { email_verified: false });
    const before = await row(squatter);
    for (const token of [world.admin.token, tenantAdmin]) {
      const { status, body } = await bring([claim(squatter)], token);
      expect([status, body.users]).toEqual([
        201,
        { created: 0, enrolled: 0, unchanged: [{ email: squatter.email, reason: 'email_not_verified' }] },
      ]);
      expect(await enrolled(squatter, body.id)).toEqual([]);
      expect((await world.login(squatter, body.id)).status).toBe(403);
    }
    expect(await row(squatter)).toEqual(before);
  });

  it('in other tenants are attached only by platform admins', async () => {
    const foreign = await world.user(await world.app(await world.tenant()));
    const own = await world.user(await world.app(tenant));
    const { body } = await bring([claim(foreign), claim(own)], tenantAdmin);
    expect(body.users).toEqual({
      created: 0,
      enrolled: 1,
      unchanged: [{ email: foreign.email, reason: 'account_elsewhere' }],
    });
    expect([await enrolled(foreign, body.id), (await enrolled(own, body.id)).length]).toEqual([[], 1]);
    const seen = await world.call('GET', `/admin/users/${foreign.id}/detail`, undefined, { token: tenantAdmin });
    expect(seen.status).toBe(404);
    const byPlatform = await bring([claim(foreign)]);
    expect(byPlatform.body.users.enrolled).toBe(1);
  });

  it('in other tenants are not visible in a tenant admin’s plan', async () => {
    const foreign = await world.user(await world.app(await world.tenant()));
    const nobody = { email: `nobody-${unique()}@example.com` };
    const users = [claim(foreign), claim(nobody)];
    const body = { tenant_id: tenant.id, app: { name: 'x', bundle_id: 'com.x' }, users };
    const plan = async (token?: string) =>
      (await fixture.importApp<Record<string, { users: { email: string }[] }>>(body, token, '?dry_run=true')).body;
    const emails = (part: { users: { email: string }[] } | undefined) => part!.users.map((user) => user.email);
    const theirs = await plan(tenantAdmin);
    expect(emails(theirs['create'])).toEqual([foreign.email, nobody.email]);
    expect([emails(theirs['update']), emails(theirs['unchanged'])]).toEqual([[], []]);
    const ours = await plan();
    expect([emails(ours['create']), emails(ours['update'])]).toEqual([[nobody.email], [foreign.email]]);
  });

  it('are unverified even if they are new, unless a platform admin imports them as verified', async () => {
    const fields = (email: string) => ({ email, display_name: 'N', email_verified: true });
    const [mine, theirs, silent] = [`pa-${unique()}@x.example`, `ta-${unique()}@x.example`, `s-${unique()}@x.example`];
    await bring([fields(mine), { email: silent, display_name: 'N' }]);
    await bring([fields(theirs)], tenantAdmin);
    const rows = await world.sql<{ email: string; email_verified: boolean }>(
      'SELECT email, email_verified FROM users WHERE email = ANY($1)',
      [[mine, theirs, silent]],
    );
    expect(Object.fromEntries(rows.map((each) => [each.email, each.email_verified]))).toEqual({
      [mine]: true,
      [theirs]: false,
      [silent]: false,
    });
  });

  it('receive a password only from a platform admin', async () => {
    const email = `new-${unique()}@example.com`;
    const refused = await bring([{ email, display_name: 'N', password_hash: HASH }], tenantAdmin);
    expect([refused.status, refused.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    expect(await world.sql('SELECT id FROM users WHERE email = $1', [email])).toEqual([]);
    expect((await bring([{ email, display_name: 'N', password_hash: null }], tenantAdmin)).status).toBe(201);
    expect(
      (await row((await world.sql<TestUser>('SELECT id FROM users WHERE email = $1', [email]))[0]!))['password_hash'],
    ).toBe(null);
  });

  it('receive no provider identities; only a platform admin can import those, for new accounts', async () => {
    const linksOf = (email: string) =>
      world.sql<{ provider: string; subject: string }>(
        'SELECT l.provider, l.subject FROM linked_accounts l JOIN users u ON u.id = l.user_id WHERE u.email = $1',
        [email],
      );
    const existing = await world.user(await world.app(tenant));
    const [mine, theirs, late] = ['mine', 'theirs', 'late'].map((word) => `${word}-${unique()}@example.com`) as [
      string,
      string,
      string,
    ];
    const identity = `subject-${unique()}`;
    const user = (email: string, provider_user_id: string) => ({
      email,
      display_name: 'N',
      linked_accounts: [{ provider: 'github', provider_user_id, email: null }],
    });
    expect((await bring([user(mine, identity), user(existing.email, `other-${identity}`)])).status).toBe(201);
    expect((await bring([user(theirs, `third-${identity}`)], tenantAdmin)).status).toBe(201);
    expect((await bring([user(late, identity)])).status).toBe(201);
    expect(await linksOf(mine)).toEqual([{ provider: 'github', subject: identity }]);
    for (const email of [existing.email, theirs, late]) expect([email, await linksOf(email)]).toEqual([email, []]);
    const entries = await world.sql(
      `SELECT a.metadata FROM audit_entries a JOIN users u ON u.id = a.user_id
       WHERE a.action = 'linked_account.added' AND u.email = ANY($1)`,
      [[mine, theirs, late, existing.email]],
    );
    expect(entries).toEqual([{ metadata: { provider: 'github', by: 'import' } }]);
  });

  it('taken by a sign-up during the import stay with that user', async () => {
    const email = `race-${unique()}@example.com`;
    const app = await world.app(tenant, { registration_policy: 'open' });
    const [imported, signedUp] = await Promise.all([
      bring([{ email, display_name: 'Imported', email_verified: true, roles: ['admin'] }]),
      world.call('POST', '/auth/signup', { email, display_name: 'Signed up', app_id: app.id, password: 'long enough' }),
    ]);
    const [account] = await world.sql<{ id: string; display_name: string }>('SELECT * FROM users WHERE email = $1', [
      email,
    ]);
    const roles = await enrolled(account!, imported.body.id);
    if (account!.display_name === 'Signed up') {
      expect([signedUp.status, imported.body.users.created, roles]).toEqual([200, 0, []]);
    } else {
      expect([signedUp.status, imported.body.users.created, roles.length]).toEqual([400, 1, 1]);
    }
  });
});
