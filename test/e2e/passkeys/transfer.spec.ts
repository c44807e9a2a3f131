import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { addPasskey, passkeySettings, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { type AppDocument, TransferFixture } from '../../support/transfer-fixture.js';
import { type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

interface Credential {
  rp_id: string;
  public_key: string;
}
type Holder = NonNullable<AppDocument['users']>[number] & {
  passkeys: { user_handle: string; credentials: Credential[] };
};

describe('Export and import of passkeys', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    fixture = await TransferFixture.open(await passkeySettings());
    world = fixture.world;
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey'] } });
  });

  afterAll(() => fixture.close());

  const exported = async () => {
    const owner = await world.user(app);
    const device = new TestAuthenticator(world.baseUrl, { isSynced: false });
    await addPasskey(world, owner, device);
    const { app: fields, users } = await fixture.exportApp(app.id, '?include_users=true&include_credentials=true');
    const user = users!.find(({ email }) => email === owner.email) as Holder;
    return { owner, device, fields, user };
  };
  const bring = (fields: object, users: object[], token?: string, query = '') => {
    const body = { tenant_id: tenant.id, app: { ...fields, bundle_id: `com.x.${unique()}` }, users };
    return fixture.importApp<{ id: string; users: { passkeys?: object }; passkeys?: object }>(body, token, query);
  };
  const at = (user: Holder, change: Partial<Credential>) => ({
    ...user,
    passkeys: { ...user.passkeys, credentials: user.passkeys.credentials.map((each) => ({ ...each, ...change })) },
  });
  const added = (email: string) =>
    world.sql<{ metadata: object }>(
      `SELECT a.metadata FROM audit_entries a JOIN users u ON u.id = a.user_id
       WHERE a.action = 'passkey.added' AND u.email = $1`,
      [email],
    );

  it('let the user sign in at the same host', async () => {
    const { owner, device, fields, user } = await exported();
    await world.asAdmin('DELETE', `/admin/users/${owner.id}`);
    const { status, body } = await bring(fields, [user]);
    expect([status, body.users]).toEqual([
      201,
      { created: 1, enrolled: 0, unchanged: [], passkeys: { created: 1, left_out: 0 } },
    ]);
    const [{ redirect_uris: uris }] = [fields['config'] as { redirect_uris: string[] }];
    const page = await SignInPage.open(
      new HostedBrowser(world.baseUrl),
      loginPath({ id: body.id, redirectUri: uris[0]! }),
    );
    expect((await page.use(device)).location).toMatch(/\?code=/);
    expect(await added(owner.email)).toEqual([
      { metadata: { aaguid: expect.anything(), synced: false, by: 'import' } },
    ]);
  });

  it('leave out passkeys of another host and say how many, in a dry run, too', async () => {
    const { fields, user } = await exported();
    const moved = { ...at(user, { rp_id: 'id.example.com' }), email: `moved-${unique()}@example.com` };
    const plan = await bring(fields, [moved], undefined, '?dry_run=true');
    expect(plan.body.passkeys).toEqual({ create: 0, other_host: 1 });
    const { body } = await bring(fields, [moved]);
    expect(body.users.passkeys).toEqual({ created: 0, left_out: 1 });
  });

  it('never give a passkey to another account, nor one more to an account that exists', async () => {
    const { owner, device, fields, user } = await exported();
    const thief = { ...user, email: `thief-${unique()}@example.com` };
    expect((await bring(fields, [thief])).body.users.passkeys).toEqual({ created: 0, left_out: 1 });
    const other = await exported();
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [other.owner.id]);
    expect((await bring(fields, [other.user])).body.users.passkeys).toEqual({ created: 0, left_out: 1 });
    expect(await world.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [other.owner.id])).toEqual([]);
    const page = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
    expect((await page.use(device)).location).toMatch(/\?code=/);
    expect(await added(owner.email)).toHaveLength(1);
  });

  it('are for platform admins, and only with include_credentials', async () => {
    const { owner, fields, user } = await exported();
    const token = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    const stranger = { ...user, email: `new-${unique()}@example.com`, password_hash: null };
    expect((await bring(fields, [stranger], token)).status).toBe(403);
    const plain = await fixture.exportApp(app.id);
    expect(plain.users!.find(({ email }) => email === owner.email)).not.toHaveProperty('passkeys');
  });

  it('refuse keys for other algorithms', async () => {
    const { fields, user } = await exported();
    for (const public_key of ['AAAA', 'oQEC', user.passkeys.credentials[0]!.public_key.slice(0, 20)]) {
      const wrong = at(user, { public_key });
      const answer = await bring(fields, [wrong]);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain('public_key');
    }
  });
});
