import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { TransferFixture } from '../../support/transfer-fixture.js';
import { type TestUser, type TestTenant, unique, type World } from '../../support/world.js';

interface Plan {
  readonly create: Part;
  readonly update: Part;
  readonly unchanged: Part;
  readonly resources?: { readonly create: string[]; readonly taken: string[] };
  readonly sign_in: { readonly effect: string; readonly count: number; readonly users: object[] }[];
}

interface Part {
  readonly tenants: object[];
  readonly apps: object[];
  readonly users: object[];
}

describe('Dry run of an import', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let known: TestUser;
  let unproven: TestUser;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant();
    const app = await world.app(tenant);
    known = await world.user(app);
    unproven = await world.user(app, { email_verified: false });
  });

  afterAll(() => fixture.close());

  const nothing: Part = { tenants: [], apps: [], users: [] };
  const dryRun = '?dry_run=true';

  it('of a tenant names what would be created, joined and left unchanged, and writes nothing', async () => {
    const [slug, taken] = [`t-${unique()}`, `com.taken.${unique()}`];
    await world.app(tenant, { bundle_id: taken });
    const user = (email: string, display_name: string) => ({ email, display_name });
    const body = {
      tenant: { name: 'Acme', slug },
      apps: [
        {
          name: 'Shop',
          bundle_id: 'com.acme.shop',
          users: [user('new@example.com', 'New'), user(known.email, 'K'), user(unproven.email, 'U')],
        },
        { name: 'Desk', bundle_id: taken, users: [user('new@example.com', 'New')] },
      ],
    };
    const before = await databaseFingerprint(world);
    const entries = await world.sql('SELECT count(*) FROM audit_entries');
    const { status, body: plan } = await fixture.importTenant<Plan>(body, undefined, dryRun);
    expect([status, plan]).toEqual([
      200,
      {
        create: {
          tenants: [{ name: 'Acme', slug }],
          apps: [
            { name: 'Shop', bundle_id: 'com.acme.shop' },
            { name: 'Desk', bundle_id: null },
          ],
          users: [{ email: 'new@example.com', display_name: 'New', apps: ['Shop', 'Desk'] }],
        },
        update: { ...nothing, users: [{ email: known.email, display_name: 'K', apps: ['Shop'] }] },
        unchanged: {
          ...nothing,
          users: [{ email: unproven.email, display_name: 'U', apps: ['Shop'], reason: 'email_not_verified' }],
        },
        sign_in: [],
      },
    ]);
    expect(await databaseFingerprint(world)).toEqual(before);
    expect(await world.sql('SELECT count(*) FROM audit_entries')).toEqual(entries);
    const done = await fixture.importTenant(body);
    expect([done.status, done.body.users]).toEqual([
      201,
      { created: 1, enrolled: 1, unchanged: [{ email: unproven.email, reason: 'email_not_verified' }] },
    ]);
    const again = await fixture.importTenant<Plan>(body, undefined, dryRun);
    expect(again.body.create).toEqual({
      tenants: [{ name: 'Acme', slug: null }],
      apps: [
        { name: 'Shop', bundle_id: null },
        { name: 'Desk', bundle_id: null },
      ],
      users: [],
    });
  });

  it('says who could not sign in afterwards, as the sign-in itself then does', async () => {
    const email = (name: string) => `${name}-${unique()}@example.com`;
    const [plain, pending, proven] = [email('plain'), email('pending'), email('proven')];
    const strict = { allowed_providers: ['magic_link'], require_verified_email: true, require_2fa: true };
    const user = (address: string, more: object = {}) => ({ email: address, display_name: 'Ada', ...more });
    const body = {
      tenant: { name: 'Strict' },
      apps: [
        {
          name: 'Shop',
          config: strict,
          users: [user(plain), user(pending, { status: 'pending' }), user(proven, { email_verified: true })],
        },
        { name: 'Keys', config: { allowed_providers: ['passkey'] }, users: [user(known.email)] },
      ],
    };
    const { body: plan } = await fixture.importTenant<Plan>(body, undefined, dryRun);
    expect(plan.sign_in).toEqual([
      {
        effect: 'shut_out',
        count: 2,
        users: expect.arrayContaining([
          { email: pending, app: 'Shop', rule: 'not_pending' },
          { email: known.email, app: 'Keys', rule: 'method_allowed' },
        ]),
      },
      { effect: 'verify_email', count: 1, users: [{ email: plain, app: 'Shop', rule: 'email_proven' }] },
      {
        effect: 'set_up_second_factor',
        count: 1,
        users: [{ email: proven, app: 'Shop', rule: 'second_factor_set_up' }],
      },
    ]);
    const done = await fixture.importTenant<{ apps: { id: string }[] }>(body);
    const ids = await world.sql<{ id: string; email: string }>('SELECT id, email FROM users WHERE email = ANY ($1)', [
      [plain, pending, proven, known.email],
    ]);
    const checked = async (appId: string, address: string) => {
      const { id } = ids.find((each) => each.email === address)!;
      const check = await world.asAdmin<{ allowed: boolean; rules: { rule: string; verdict: string }[] }>(
        'GET',
        `/admin/users/${id}/access-check?app_id=${appId}`,
      );
      return [check.allowed, check.rules.find(({ verdict }) => verdict === 'fail')?.rule];
    };
    const [shop, keys] = done.body.apps;
    expect(await checked(shop!.id, pending)).toEqual([false, 'not_pending']);
    expect(await checked(shop!.id, plain)).toEqual([false, 'email_proven']);
    expect((await checked(keys!.id, known.email))[0]).toBe(false);
  });

  it('names the protected resources that are left out, because a tenant has them', async () => {
    const [taken, free] = [`urn:taken:${unique()}`, `urn:free:${unique()}`];
    const resource = (identifier: string) => ({ identifier, name: 'API', scopes: [], token_lifetime_minutes: 5 });
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { resources: [resource(taken)] });
    const body = { tenant: { name: 'Acme', resources: [resource(taken), resource(free)] }, apps: [] };
    const { body: plan } = await fixture.importTenant<Plan>(body, undefined, dryRun);
    expect(plan.resources).toEqual({ create: [free], taken: [taken] });
    const done = await fixture.importTenant<{ resources: { identifier: string }[] }>(body);
    expect(done.body.resources.map(({ identifier }) => identifier)).toEqual([free]);
  });

  it('of an app shows whether its bundle id would stay', async () => {
    const app = { name: 'Shop', bundle_id: `com.x.${unique()}` };
    const before = await databaseFingerprint(world);
    const planned = async (more: object) =>
      (await fixture.importApp<Plan>({ tenant_id: tenant.id, app, ...more }, undefined, dryRun)).body.create.apps;
    expect(await planned({})).toEqual([{ name: 'Shop', bundle_id: null }]);
    expect(await planned({ preserve_bundle_id: true })).toEqual([app]);
    expect(await databaseFingerprint(world)).toEqual(before);
  });
});
