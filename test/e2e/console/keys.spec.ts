import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JSONWebKeySet } from 'jose';
import { contentToken, contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('Console: signing keys', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let root: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    user = await world.user(app);
  });

  beforeEach(async () => {
    root = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const published = async () =>
    (await world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }) => kid!);
  const newToken = async () => (await world.tokens(user, app.id)).access_token;
  const kidOf = (token: string) => readJwt(token).header['kid'] as string;
  const isValid = async (token: string) =>
    (await world.call('POST', '/token/verify', { token, audience: app.id })).body['valid'];
  const rotations = () =>
    world.sql(
      `SELECT actor_id, tenant_id, target_id, metadata FROM audit_entries
       WHERE action = 'signing_key.rotated' ORDER BY created_at`,
    );

  it('shows which key signs, and no private key', async () => {
    const kid = kidOf(await newToken());
    const page = await root.get('/console/keys');
    expect(page.status).toBe(200);
    expect(contentWords(page)).toMatch(/signing Signs every token/);
    expect(page.body).toContain(kid);
    const [row] = await world.sql<{ sealed_private_key: string }>('SELECT sealed_private_key FROM signing_keys');
    expect(page.body).not.toContain(row!.sealed_private_key);
  });

  it('publishes a new key that signs after an hour, and records the rotation', async () => {
    const old = await newToken();
    const question = await root.get('/console/keys/rotate');
    expect(contentWords(question)).toContain('In an hour The new key starts signing');
    expect(await published()).toEqual([kidOf(old)]);
    const answer = await sendConsoleForm(root, '/console/keys/rotate', '/console/keys/rotate');
    expect([answer.status, answer.location]).toEqual([303, '/console/keys']);
    const [first, next] = await published();
    expect(first).toBe(kidOf(old));
    expect(kidOf(await newToken())).toBe(first);
    const words = contentWords(await root.get('/console/keys'));
    expect(words).toContain('The new key is published. It starts signing in an hour.');
    expect(words).toMatch(/published Signs from \d+ \w+ \d{4}, \d\d:\d\d UTC .*signing Signs every token until \d/);
    expect(await rotations()).toEqual([
      { actor_id: world.admin.id, tenant_id: null, target_id: next, metadata: { immediately: false } },
    ]);
    await world.sql(`UPDATE signing_keys SET activates_at = now() WHERE kid = $1`, [next]);
    expect(contentWords(await root.get('/console/keys'))).toMatch(
      /signing Signs every token .*retired Tokens that it signed are accepted until \d+ \w+ \d{4}/,
    );
  });

  it('rotates at once after the confirmation was typed, and old tokens become invalid', async () => {
    const old = await newToken();
    const before = await published();
    const refused = await sendConsoleForm(root, '/console/keys/rotate-at-once', '/console/keys/rotate-at-once', {
      confirm_name: 'rotate',
    });
    expect(refused.status).toBe(422);
    expect([await published(), await isValid(old)]).toEqual([before, true]);
    const done = await sendConsoleForm(root, '/console/keys/rotate-at-once', '/console/keys/rotate-at-once', {
      confirm_name: 'rotate at once',
    });
    expect(done.status).toBe(303);
    const [only, ...others] = await published();
    expect(others).toEqual([]);
    expect(before).not.toContain(only);
    expect(await isValid(old)).toBe(false);
    const fresh = await newToken();
    expect([kidOf(fresh), await isValid(fresh)]).toEqual([only, true]);
    expect((await rotations()).at(-1)).toMatchObject({ target_id: only, metadata: { immediately: true } });
    await world.signInAgain();
  });

  it('returns 403 on every page and form to users who are not platform admins', async () => {
    const admin = await visitConsole(world, await world.tenantAdmin(tenant));
    const before = await published();
    for (const path of ['/console/keys', '/console/keys/rotate', '/console/keys/rotate-at-once'])
      expect((await admin.get(path)).status).toBe(403);
    const form_token = contentToken(await admin.get('/console/users/new'));
    for (const act of ['rotate', 'rotate-at-once']) {
      const answer = await admin.post(`/console/keys/${act}`, { form_token, confirm_name: 'rotate at once' });
      expect(answer.status).toBe(403);
    }
    expect(await published()).toEqual(before);
    expect((await admin.get('/console/')).body).not.toContain('/console/keys');
    expect((await root.get('/console/')).body).toContain('href="/console/keys"');
  });

  it('returns 403 to a platform admin during an impersonation', async () => {
    const path = `/console/impersonate/${tenant.id}`;
    expect((await sendConsoleForm(root, path, path, { reason: 'Ticket 12' })).status).toBe(303);
    expect((await root.get('/console/keys')).status).toBe(403);
  });
});
