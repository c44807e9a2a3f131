import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { type ImportedApp, TransferFixture } from '../../support/transfer-fixture.js';
import { type Answer, type TestUser, type TestTenant, unique, type World } from '../../support/world.js';

const GATE = 4711;
const REFUSED = [403, { detail: 'Insufficient permissions' }];

/** The import waits before its last enrollment, until the test opens the gate. */
describe('An import that takes long', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let admin: TestUser;
  let token: string;
  let last: TestUser;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    last = await world.user();
    await world.sql(`
      CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.user_id = '${last.id}' THEN
          PERFORM set_config('lock_timeout', '60s', true);
          PERFORM pg_advisory_xact_lock(${GATE});
        END IF;
        RETURN NEW;
      END $$`);
    await world.sql('CREATE TRIGGER tr_wait BEFORE INSERT ON enrollments FOR EACH ROW EXECUTE FUNCTION wait_at_gate()');
  });

  beforeEach(async () => {
    tenant = await world.tenant();
    admin = await world.tenantAdmin(tenant);
    token = (await world.tokens(admin, tenant.consoleAppId)).access_token;
  });

  afterAll(() => fixture.close());

  /** @param meanwhile what happens when the apps and users are written, and nothing is committed */
  async function importing<Body = ImportedApp>(
    begin: (document: Record<string, unknown>) => Promise<Answer<Body>>,
    meanwhile: () => Promise<void>,
  ): Promise<{ answer: Answer<Body>; name: string }> {
    const name = `Imported ${unique()}`;
    const users = [
      { email: admin.email, display_name: 'Me', roles: ['user', 'admin'] },
      { email: last.email, display_name: 'Last' },
    ];
    const app = { name, bundle_id: `com.example.${unique()}`, config: { available_roles: ['user', 'admin'] } };
    const open = await holdRows(fixture.database.url, `SELECT pg_advisory_xact_lock(${GATE})`, []);
    const answer = begin({ tenant: { name }, apps: [{ ...app, users }], tenant_id: tenant.id, app, users });
    try {
      await waitersForLocks(world, 1);
      await meanwhile();
    } finally {
      await open();
    }
    return { answer: await answer, name };
  }
  const ofApp =
    (as = token) =>
    ({ tenant_id, app, users }: Record<string, unknown>) =>
      fixture.importApp({ tenant_id, app, users }, as);
  const ofTenant =
    (as: string) =>
    ({ tenant: imported, apps }: Record<string, unknown>) =>
      fixture.importTenant({ tenant: imported, apps }, as);
  const rowsNamed = async (name: string) =>
    (await world.sql('SELECT 1 FROM apps WHERE name = $1 UNION ALL SELECT 1 FROM tenants WHERE name = $1', [name]))
      .length;
  const appNamed = async (name: string) =>
    (await world.sql('SELECT is_active, off_with_tenant FROM apps WHERE name = $1', [name]))[0];
  const switchTenant = (is_active: boolean) => world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active });
  /** Enrolled by a platform admin, so that the importer sees them. */
  const letAdminSeeThem = async () => {
    const app = await world.app(tenant);
    await world.asAdmin('PUT', `/admin/users/${last.id}/roles`, { app_id: app.id, roles: ['user'] });
  };

  it('is undone if its admin is removed meanwhile, which does not wait for it', async () => {
    await letAdminSeeThem();
    const { answer, name } = await importing(ofApp(), async () => {
      await world.asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${admin.id}`);
    });
    expect([answer.status, answer.body]).toEqual(REFUSED);
    expect(await rowsNamed(name)).toBe(0);
  });

  it('is undone if its admin signs out everywhere else meanwhile', async () => {
    await letAdminSeeThem();
    const browser = await visitAccount(world, admin);
    const { answer, name } = await importing(ofApp(), async () => {
      await sendForm(browser, '/account/sessions/end-others');
    });
    expect([answer.status, answer.body]).toEqual(REFUSED);
    expect(await rowsNamed(name)).toBe(0);
  });

  it.each<[string, (refresh_token: string) => Promise<void>]>([
    ['ends', async (refresh_token) => void (await world.call('POST', '/token/revoke', { refresh_token }))],
    [
      'turns out to be stolen',
      async (refresh_token) => {
        const refresh = { refresh_token, app_id: tenant.consoleAppId };
        for (const status of [200, 401])
          expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(status);
      },
    ],
  ])('is undone if the sign-in of its token %s meanwhile', async (_, end) => {
    await letAdminSeeThem();
    const { access_token, refresh_token } = await world.tokens(admin, tenant.consoleAppId);
    const { answer, name } = await importing(ofApp(access_token), () => end(refresh_token));
    expect([answer.status, answer.body]).toEqual(REFUSED);
    expect(await rowsNamed(name)).toBe(0);
    const { access_token: again } = await world.tokens(admin, tenant.consoleAppId);
    expect((await importing(ofApp(again), () => Promise.resolve())).answer.status).toBe(201);
  });

  it('is undone if its platform admin is demoted meanwhile', async () => {
    const root = await world.user(undefined, { is_platform_admin: true });
    const as = (await world.tokens(root, world.platformConsoleId)).access_token;
    for (const begin of [ofTenant(as), ofApp(as)] as ((
      document: Record<string, unknown>,
    ) => Promise<Answer<unknown>>)[]) {
      await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [root.id]);
      const { answer, name } = await importing<unknown>(begin, async () => {
        await world.asAdmin('PUT', `/admin/users/${root.id}/promote`);
      });
      expect([answer.status, answer.body]).toEqual(REFUSED);
      expect(await rowsNamed(name)).toBe(0);
    }
  });

  it('makes an app that is off if its tenant is switched off meanwhile, and on with it', async () => {
    const { answer, name } = await importing(ofApp(world.admin.token), async () => void (await switchTenant(false)));
    expect(answer.status).toBe(201);
    expect(await appNamed(name)).toEqual({ is_active: false, off_with_tenant: true });
    const later = await importing(ofApp(world.admin.token), async () => void (await switchTenant(true)));
    for (const each of [name, later.name])
      expect([each, await appNamed(each)]).toEqual([each, { is_active: true, off_with_tenant: false }]);
  });

  it('lets the tenant make apps and name admins meanwhile, and is made in the end', async () => {
    await letAdminSeeThem();
    const { answer, name } = await importing(ofApp(), async () => {
      await world.app(tenant);
      await world.tenantAdmin(tenant);
      const answered = await world.call('PATCH', `/admin/tenants/${tenant.id}`, { name: 'Renamed' }, { token });
      expect(answered.status).toBe(200);
    });
    expect([answer.status, await appNamed(name)]).toEqual([201, { is_active: true, off_with_tenant: false }]);
  });
});
