import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FOREIGN_HASHES } from '../../support/foreign-hashes.js';
import { TransferFixture } from '../../support/transfer-fixture.js';
import { type TestTenant, unique, type World } from '../../support/world.js';

const OURS = /^\$2b\$04\$[./A-Za-z0-9]{53}$/;

describe('Imported password hash of another system', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;
  let appId: string;
  const email = (index: number) => `foreign-${index}@example.com`;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant();
    const users = FOREIGN_HASHES.map(({ hash, name }, index) => ({
      email: email(index),
      display_name: name,
      password_hash: hash,
    }));
    const imported = await fixture.importApp({ tenant_id: tenant.id, app: { name: 'x', bundle_id: 'com.x' }, users });
    if (imported.status !== 201) throw new Error(JSON.stringify(imported.body));
    appId = imported.body.id;
  });

  afterAll(() => fixture.close());

  const stored = async (address: string) =>
    (await world.sql<{ hash: string }>('SELECT password_hash AS hash FROM users WHERE email = $1', [address]))[0]!.hash;
  const enters = async (address: string, password: string) =>
    (await world.login({ id: '', email: address, password }, appId)).status === 200;

  it('is exported unchanged until its owner signs in', async () => {
    const { users } = await fixture.exportApp(appId, '?include_users=true&include_credentials=true');
    const hashes = Object.fromEntries(users!.map((user) => [user.email, user.password_hash]));
    expect(hashes).toEqual(Object.fromEntries(FOREIGN_HASHES.map(({ hash }, index) => [email(index), hash])));
  });

  // security 4
  it.each(FOREIGN_HASHES.map((each, index) => [each.name, each, email(index)] as const))(
    '(%s) accepts only its owner’s password, and is replaced by our hash at the sign-in',
    async (_, { password, hash }, address) => {
      expect(await enters(address, `${password}x`)).toBe(false);
      expect(standard(await stored(address))).toBe(hash);
      expect(await enters(address, password)).toBe(true);
      const ours = await stored(address);
      expect(ours).toMatch(OURS);
      expect(await enters(address, password)).toBe(true);
      expect(await stored(address)).toBe(ours);
      expect(await enters(address, `${password}x`)).toBe(false);
    },
  );

  it('of 80 bytes that the other system had cut off at 72 is compared completely after the first sign-in', async () => {
    const password = 'y'.repeat(80);
    const cut = await world.user(undefined, { password: 'y'.repeat(72) });
    const address = `cut-${unique()}@example.com`;
    await fixture.importTenant({
      tenant: { name: 'x' },
      apps: [{ name: 'x', users: [{ email: address, display_name: 'C', password_hash: await stored(cut.email) }] }],
    });
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user}', 'active' FROM users WHERE email = $2`,
      [appId, address],
    );
    expect(await enters(address, password)).toBe(true);
    expect(await stored(address)).toMatch(/^\$sha384\$2b\$04\$/);
    expect([await enters(address, `${password}z`), await enters(address, 'y'.repeat(72))]).toEqual([false, false]);
    expect(await enters(address, password)).toBe(true);
  });

  it('appears in no answer and no audit entry', async () => {
    const [entries] = await world.sql<{ text: string }>(
      `SELECT string_agg(to_jsonb(a)::text, ' ') AS text FROM audit_entries a`,
    );
    const users = [{ email: `x-${unique()}@example.com`, display_name: 'x', password_hash: FOREIGN_HASHES[0]!.hash }];
    const body = { tenant_id: tenant.id, app: { name: 'x', bundle_id: 'com.x' }, users };
    const answers = JSON.stringify([
      (await fixture.importApp(body, undefined, '?dry_run=true')).body,
      (await fixture.importApp(body)).body,
      await fixture.exportApp(appId),
    ]);
    for (const { hash } of FOREIGN_HASHES)
      for (const text of [answers, entries!.text]) expect(text).not.toContain(hash);
  });
});

/** Without the mark that only we read. */
function standard(hash: string): string {
  return hash.replace(/^\$cut/, '');
}
