import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Semaphore } from '../../../src/common/concurrency/semaphore.js';
import { type Actor, NO_AUTHORITY } from '../../../src/common/actor.js';
import { LargeBodySemaphores } from '../../../src/common/http/bodies/large-body-semaphores.js';
import { basic, postForm } from '../../support/post.js';
import { TransferFixture } from '../../support/transfer-fixture.js';
import { eventually } from '../../support/wait.js';
import { type TestTenant, unique, type World } from '../../support/world.js';

const MB = 1024 * 1024;

describe('Request body of an import', () => {
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

  const ofSize = (bytes: number) =>
    JSON.stringify({
      tenant_id: tenant.id,
      tenant: { name: 'x' },
      app: { name: 'x', bundle_id: `com.x.${unique()}` },
      ignored: 'x'.repeat(bytes),
    });
  const send = (
    path: string,
    body: string | Uint8Array,
    token?: string,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ) =>
    fetch(`${fixture.service.baseUrl}${path}`, {
      method: 'POST',
      body,
      signal,
      headers: {
        'Content-Type': 'application/json',
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
    });
  const PATHS = ['/admin/apps/import', '/admin/tenants/import'];

  /** Sends the head and the first bytes of a large body, and never the rest. */
  function begin(path: string, token?: string): { status: Promise<number>; giveUp: () => void } {
    const { port } = new URL(fixture.service.baseUrl);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(20 * MB),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    };
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path, headers });
    const status = new Promise<number>((resolve) => {
      outgoing.on('response', (answer) => resolve(answer.statusCode!));
      outgoing.on('error', () => resolve(0));
    });
    outgoing.write('{"tenant":');
    return { status, giveUp: () => void outgoing.destroy() };
  }

  it('can be large', async () => {
    for (const path of PATHS) {
      const answer = await send(path, ofSize(10 * MB), world.admin.token);
      expect([path, answer.status]).toEqual([path, 201]);
      const packed = await send(path, gzipSync(ofSize(10 * MB)), world.admin.token, { 'Content-Encoding': 'gzip' });
      expect([path, packed.status]).toEqual([path, 201]);
    }
  });

  it('returns 413 above 32 MB, unpacked', async () => {
    for (const path of PATHS) {
      for (const answer of [
        await send(path, ofSize(32 * MB), world.admin.token),
        await send(path, gzipSync(ofSize(33 * MB)), world.admin.token, { 'Content-Encoding': 'gzip' }),
      ])
        expect([path, answer.status, await answer.json()]).toEqual([path, 413, { detail: 'Payload Too Large' }]);
    }
  });

  it('is rejected before it is read if the caller lacks the right', async () => {
    const app = await world.app(tenant);
    const user = (await world.tokens(await world.user(app), app.id)).access_token;
    for (const [path, token, status] of [
      [PATHS[0]!, undefined, 401],
      [PATHS[1]!, undefined, 401],
      [PATHS[0]!, user, 403],
      [PATHS[1]!, tenantAdmin, 403],
      [PATHS[0]!, 'not-a-token', 401],
    ] as const) {
      const { status: answered, giveUp } = begin(path, token);
      expect([path, await answered]).toEqual([path, status]);
      giveUp();
    }
  });

  it('that is malformed returns 422, large or small', async () => {
    const large = ofSize(MB);
    for (const path of PATHS) {
      for (const body of [large.slice(0, -1), large.replace('"ignored"', '"__proto__":{},"ignored"'), `[${large}]`]) {
        const answer = await send(path, body, world.admin.token);
        expect([path, answer.status]).toEqual([path, 422]);
      }
    }
  });

  it('that does not match its Content-Encoding returns 400 at every route', async () => {
    const service = await world.serviceToken(await world.app(tenant));
    const cut = gzipSync(ofSize(1_000)).subarray(0, 40);
    for (const [path, token] of [
      ...PATHS.map((path) => [path, world.admin.token] as const),
      ['/push/send/batch', service],
      ['/auth/login', undefined],
    ] as const) {
      for (const [encoding, body] of [
        ['gzip', '{}'],
        ['gzip', cut],
        ['deflate', '{}'],
        ['br', '{}'],
      ] as const) {
        const answer = await send(path, body, token, { 'Content-Encoding': encoding });
        expect([path, encoding, answer.status, await answer.json()]).toEqual([
          path,
          encoding,
          400,
          { detail: 'Body cannot be decoded' },
        ]);
      }
      const unknown = await send(path, '{}', token, { 'Content-Encoding': 'compress' });
      expect([path, unknown.status]).toEqual([path, 415]);
    }
  });

  it('can be large at no other route, and at no other spelling of these', async () => {
    const body = ofSize(MB);
    for (const path of ['/admin/apps', '/admin/tenants', '/admin/apps/import/', '/auth/login', '/token/refresh'])
      expect([path, (await send(path, body, world.admin.token)).status]).toEqual([path, 413]);
    expect(
      (
        await send('/admin/apps/import', `a=${body}`, world.admin.token, {
          'Content-Type': 'application/x-www-form-urlencoded',
        })
      ).status,
    ).toBe(413);
  });

  it('waits until the other one of its tenant is done, or its client hangs up', async () => {
    const { processing } = fixture.service.nest.get(LargeBodySemaphores, { strict: false }) as unknown as {
      processing: Pick<Semaphore, 'tryAcquire'> & { waiting: ReadonlyMap<string, unknown> };
    };
    const leave = processing.tryAcquire([{ key: 'imports of platform', max: 1 }])!;
    const hungUp = new AbortController();
    const gone = send(PATHS[1]!, ofSize(MB), world.admin.token, {}, hungUp.signal).catch(() => null);
    await eventually('it waits', () => processing.waiting.size === 1);
    hungUp.abort();
    await eventually('it has left', () => processing.waiting.size === 0);
    await gone;
    const second = send(PATHS[1]!, ofSize(MB), world.admin.token);
    await eventually('it waits', () => processing.waiting.size === 1);
    leave();
    expect((await second).status).toBe(201);
  });

  /** What the process has in hand. */
  const inHand = () =>
    fixture.service.nest.get(LargeBodySemaphores, { strict: false }) as unknown as Pick<
      LargeBodySemaphores,
      'acquireToReceive' | 'acquireToProcess'
    > & {
      readonly processing: { readonly waiting: ReadonlyMap<string, unknown> };
      readonly receiving: { readonly heldByKey: ReadonlyMap<string, number> };
    };
  const adminOf = (tenantId: string): Actor => ({
    type: 'user',
    ...{ userId: unique(), email: 'a@example.com', audience: '', viaApp: null, tenantId },
    authority: { ...NO_AUTHORITY, tenants: new Set([tenantId]) },
  });
  const serverOf = (tenantId: string): Actor => ({ type: 'service', appId: unique(), tenantId, scopes: new Set() });
  const BATCH = '/push/send/batch';
  const largeBatch = JSON.stringify({ notifications: [], ignored: 'x'.repeat(MB) });
  /** Of an app of another tenant each. @returns what the service says of a large batch that has its places */
  const batchOf = async (of: TestTenant) => send(BATCH, largeBatch, await world.serviceToken(await world.app(of)));

  it('is worked on for one tenant at a time, which keeps neither batches nor platform admins waiting', async () => {
    const places = inHand();
    const never = new AbortController().signal;
    const leave = await places.acquireToProcess(adminOf(tenant.id), never, 'imports');
    try {
      expect((await batchOf(tenant)).status).toBe(422);
      expect((await batchOf(await world.tenant())).status).toBe(422);
      expect((await send(PATHS[1]!, ofSize(MB), world.admin.token)).status).toBe(201);
      const other = await world.tenant();
      const token = (await world.tokens(await world.tenantAdmin(other), other.consoleAppId)).access_token;
      const document = JSON.stringify({ ...(JSON.parse(ofSize(MB)) as object), tenant_id: other.id });
      const second = send(PATHS[0]!, document, token);
      await eventually('it waits', () => places.processing.waiting.size === 1);
      // Nor do two tenants take the place of a platform admin.
      const leaveBatch = await places.acquireToProcess(serverOf(other.id), never, 'batches');
      expect((await send(PATHS[1]!, ofSize(MB), world.admin.token)).status).toBe(201);
      leaveBatch();
      leave();
      expect((await second).status).toBe(201);
    } finally {
      leave();
    }
  });

  it.each(['imports', 'batches'] as const)(
    'leaves places to the others, however many %s are sent slowly',
    async (kind) => {
      const places = inHand();
      const takers = Array.from({ length: 8 }, () => (kind === 'imports' ? adminOf(unique()) : serverOf(unique())));
      const held: (() => void)[] = [];
      const take = (each: Actor, of = kind) => held.push(places.acquireToReceive(each, of));
      try {
        for (const each of takers.slice(0, 5)) take(each);
        expect(() => take(takers[5]!)).toThrow('Too many large requests at once');
        const other = kind === 'imports' ? 'batches' : 'imports';
        expect((await batchOf(tenant)).status).toBe(kind === 'imports' ? 422 : 503);
        expect((await send(PATHS[0]!, ofSize(MB), tenantAdmin)).status).toBe(kind === 'imports' ? 503 : 201);
        for (const each of takers.slice(6)) take(each, other);
        expect(() => take(takers[5]!, other)).toThrow('Too many large requests at once');
        expect((await send(PATHS[1]!, ofSize(MB), world.admin.token)).status).toBe(201);
      } finally {
        for (const leave of held) leave();
      }
    },
  );

  it('of an admin who was made one of another tenant takes a place of their own tenant', async () => {
    const [theirs, own] = [await world.tenant(), await world.tenant()];
    const named = await world.tenantAdmin(own);
    await world.asAdmin('POST', `/admin/tenants/${theirs.id}/admins`, { email: named.email });
    const { access_token } = await world.tokens(named, world.platformConsoleId);
    const places = inHand();
    const held = Array.from({ length: 3 }, () => places.acquireToReceive(adminOf(theirs.id)));
    try {
      expect(() => places.acquireToReceive(adminOf(theirs.id))).toThrow('Too many large requests at once');
      // No document.
      expect((await send(PATHS[0]!, largeBatch, access_token)).status).toBe(422);
      held.push(await places.acquireToProcess(adminOf(theirs.id), new AbortController().signal));
      expect((await send(PATHS[0]!, ofSize(1000), access_token)).status).not.toBe(503);
    } finally {
      for (const leave of held) leave();
    }
  });

  /** All but the last byte. */
  function slowly(path: string, body: string, token: string) {
    const { port } = new URL(fixture.service.baseUrl);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      Authorization: `Bearer ${token}`,
    };
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path, headers });
    const answer = new Promise<unknown>((resolve, reject) => {
      outgoing.on('error', reject).on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve([response.statusCode, JSON.parse(text)]));
      });
    });
    outgoing.write(body.slice(0, -1));
    return { answer, finish: () => outgoing.end(body.slice(-1)) };
  }
  const lettingIn = async (share: string, begin: () => ReturnType<typeof slowly>) => {
    const { answer, finish } = begin();
    await eventually('it is let in', () => inHand().receiving.heldByKey.get(share) === 1);
    return { answer, finish };
  };

  it.each([
    ['the token is revoked', 401, 'Invalid token'],
    ['the app loses the scope', 403, 'Missing required scope'],
    ['nothing happens', 422, expect.anything()],
  ])('of an app is judged again when all of it has come: %s', async (what, status, detail) => {
    const app = await world.app(tenant);
    const token = await world.serviceToken(app);
    const { answer, finish } = await lettingIn(`app ${app.id}`, () => slowly(BATCH, largeBatch, token));
    if (what === 'the token is revoked')
      await postForm(`${world.baseUrl}/token/revoke`, { token }, basic(app.id, app.secret));
    if (what === 'the app loses the scope') await world.asAdmin('PUT', `/admin/apps/${app.id}`, { service_scopes: [] });
    finish();
    expect(await answer).toEqual([status, { detail }]);
  });

  it('of an admin who was removed while it was sent does not begin', async () => {
    const other = await world.tenant();
    const admin = await world.tenantAdmin(other);
    const token = (await world.tokens(admin, other.consoleAppId)).access_token;
    // No document: an operator who still has the authority gets 422.
    const { answer, finish } = await lettingIn(other.id, () => slowly(PATHS[0]!, largeBatch, token));
    await world.asAdmin('DELETE', `/admin/tenants/${other.id}/admins/${admin.id}`);
    finish();
    expect(await answer).toEqual([401, { detail: expect.any(String) }]);
  });

  it('is read for three callers of one tenant at a time, who hold back no other', async () => {
    const tokens = Array.from({ length: 4 }, () => world.admin.token);
    const waiting = tokens.map((token) => begin(PATHS[0]!, token));
    try {
      // Whichever came fourth.
      expect(await Promise.race(waiting.map(({ status }) => status))).toBe(503);
      const refused = await send(PATHS[1]!, ofSize(MB), world.admin.token);
      expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
        503,
        '5',
        { detail: 'Too many large requests at once' },
      ]);
      expect((await send(PATHS[1]!, ofSize(1000), world.admin.token)).status).toBe(201);
      const honest = await send(PATHS[0]!, ofSize(MB), tenantAdmin);
      expect([honest.status, await honest.json()]).toEqual([201, expect.anything()]);
    } finally {
      for (const { giveUp } of waiting) giveUp();
    }
    await eventually(
      'large bodies are taken again',
      async () => (await send(PATHS[1]!, ofSize(MB), world.admin.token)).status === 201,
    );
  });

  it('is read for one of an app’s server at a time, which leaves the others to the other apps and the tenant’s admins', async () => {
    const [hoarder, honest, third] = [await world.app(tenant), await world.app(tenant), await world.app(tenant)];
    const batch = '/push/send/batch';
    const slow = [begin(batch, await world.serviceToken(hoarder)), begin(batch, await world.serviceToken(hoarder))];
    try {
      expect(await Promise.race(slow.map(({ status }) => status))).toBe(503);
      const large = JSON.stringify({ notifications: [], ignored: 'x'.repeat(MB) });
      expect((await send(batch, large, await world.serviceToken(honest))).status).not.toBe(503);
      const takenByApps = () => inHand().receiving.heldByKey.get(`apps of ${tenant.id}`);
      // An answer can arrive before its place is free.
      await eventually('the answered one has left its place', () => takenByApps() === 1);
      slow.push(begin(batch, await world.serviceToken(honest)));
      await eventually('the apps of the tenant have their places', () => takenByApps() === 2);
      expect((await send(batch, large, await world.serviceToken(third))).status).toBe(503);
      expect((await send(PATHS[0]!, ofSize(MB), tenantAdmin)).status).toBe(201);
    } finally {
      for (const { giveUp } of slow) giveUp();
    }
  });

  it('has the same places at every route', async () => {
    const slow = [PATHS[0]!, PATHS[1]!, '/admin/apps/import?dry_run=true'].map((path) =>
      begin(path, world.admin.token),
    );
    try {
      const { receiving } = fixture.service.nest.get(LargeBodySemaphores, { strict: false }) as unknown as {
        receiving: Pick<Semaphore, 'tryAcquire'> & { heldByKey: ReadonlyMap<string, number> };
      };
      await eventually('three are being sent', () => receiving.heldByKey.get('platform') === 3);
      expect(receiving.tryAcquire([{ key: 'platform', max: 3 }])).toBeNull();
      const app = await world.app(tenant);
      slow.push(begin('/push/send/batch', await world.serviceToken(app)));
      await eventually('so is one of another module', () => receiving.heldByKey.get(tenant.id) === 1);
    } finally {
      for (const { giveUp } of slow) giveUp();
    }
  });
});
