import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { TransferFixture } from '../../support/transfer-fixture.js';
import { type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

const TYPED = 'Ada \u202eecalevoL\u2066\u0007';
const KEPT = 'Ada ecalevoL';

describe('Display name with bidirectional control characters', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    ({ world } = fixture);
    tenant = await world.tenant();
    app = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => fixture.close());

  const nameOf = async (email: string) =>
    (await world.sql<{ display_name: string }>('SELECT display_name FROM users WHERE email = $1', [email]))[0]
      ?.display_name;
  const address = () => `ada-${unique()}@example.com`;

  it('is stored without them at sign-up', async () => {
    const email = address();
    const fields = { email, display_name: TYPED, password: 'correct horse battery', app_id: app.id };
    expect((await world.call('POST', '/auth/signup', fields)).status).toBe(200);
    expect(await nameOf(email)).toBe(KEPT);
  });

  it('is stored without them when changed by an operator, an import or its owner', async () => {
    const [byOperator, byImport] = [address(), address()];
    await world.asAdmin('POST', '/admin/users', { email: byOperator, display_name: TYPED });
    expect(await nameOf(byOperator)).toBe(KEPT);

    const user = { email: byImport, display_name: TYPED, email_verified: true, roles: ['user'] };
    const { status } = await fixture.importApp({
      tenant_id: tenant.id,
      app: { name: 'x', bundle_id: `com.x.${unique()}` },
      users: [user],
    });
    expect(status).toBe(201);
    expect(await nameOf(byImport)).toBe(KEPT);

    const owner = await world.user(app);
    const browser = await visitAccount(world, owner);
    await sendForm(browser, '/account/profile', { display_name: TYPED });
    expect(await nameOf(owner.email)).toBe(KEPT);
    expect((await sendForm(browser, '/account/profile', { display_name: '\u202e' })).status).toBe(422);
  });

  it('is replaced by the first part of the address if nothing else remains', async () => {
    const email = address();
    await world.asAdmin('POST', '/admin/users', { email, display_name: '\u202e' });
    expect(await nameOf(email)).toBe(email.split('@')[0]);
  });
});
