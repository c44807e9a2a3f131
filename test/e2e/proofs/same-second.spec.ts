import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Clock } from '../../../src/common/clock.js';
import { Transactions } from '../../../src/database/transactions.js';
import { EntryCache } from '../../../src/enrollment/memberships/entry-cache.js';
import { UsersService } from '../../../src/users/users.service.js';
import { FakeClock } from '../../support/fake-clock.js';
import { readJwt } from '../../support/jwt-parts.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type Tokens, unique, World } from '../../support/world.js';

const claimsOf = (token: string) => readJwt(token).payload;

describe('Tokens issued around a password change', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    // Its clock stands still: whatever the tests do is done within one second, however busy the machine is.
    const clock = new FakeClock();
    service = await startTestApp({ override: (builder) => builder.overrideProvider(Clock).useValue(clock) });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const isValid = async (token: string): Promise<boolean> =>
    (await world.call<{ valid: boolean }>('POST', '/token/verify', { token, audience: app.id })).body.valid;

  const userinfo = async (token: string): Promise<number> =>
    (await world.call('GET', '/userinfo', undefined, { token })).status;

  const isActive = async (token: string): Promise<unknown> => {
    const client = { client_id: app.id, client_secret: app.secret };
    return (await world.call('POST', '/token/introspect', { token, ...client })).body['active'];
  };

  const setPassword = async (user: TestUser): Promise<TestUser> => {
    const password = `another ${unique()}`;
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: password });
    return { ...user, password };
  };

  it('are invalid from before it and valid from after it within the same second', async () => {
    const user = await world.user(app);
    const before = await world.tokens(user, app.id);
    const refreshed = await world.call<{ access_token: string }>('POST', '/token/refresh', {
      refresh_token: before.refresh_token,
      app_id: app.id,
    });
    const after = await world.tokens(await setPassword(user), app.id);
    for (const { access_token: old } of [before, refreshed.body]) {
      expect([await isValid(old), await userinfo(old), await isActive(old)]).toEqual([false, 401, false]);
    }
    const fresh = after.access_token;
    expect([await isValid(fresh), await userinfo(fresh), await isActive(fresh)]).toEqual([true, 200, true]);
    expect(claimsOf(before.access_token)['iat']).toBe(claimsOf(fresh)['iat']);
  });

  it('are invalid if a refresh overlapped it, because they are as old as their sign-in', async () => {
    const user = await world.user(app);
    const { refresh_token } = await world.tokens(user, app.id);
    const part = <T>(type: Type<T>): T => service.nest.get<T>(type, { strict: false });
    const answer = await part(Transactions).run(async (tx) => {
      await part(UsersService).revokeAllSessionsAndTokens(tx, user.id);
      // The clock has been read, and nothing is committed: a refresh sees nothing and waits for nobody.
      return world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: app.id });
    });
    part(EntryCache).forget(user.id);
    expect(answer.status).toBe(200);
    const { access_token } = answer.body;
    expect([await isValid(access_token), await userinfo(access_token)]).toEqual([false, 401]);
    expect((await world.call('GET', '/admin/tenants', undefined, { token: access_token })).status).toBe(401);
  });

  it('carry the start of their sign-in in milliseconds, also after a refresh', async () => {
    const tokens = await world.tokens(await world.user(app), app.id);
    const { refresh_token } = tokens;
    const { body } = await world.call<{ access_token: string }>('POST', '/token/refresh', {
      refresh_token,
      app_id: app.id,
    });
    const first = claimsOf(tokens.access_token)['signed_in_at_ms'];
    expect(Number.isSafeInteger(first)).toBe(true);
    expect(Math.abs((first as number) - Date.now())).toBeLessThan(60_000);
    expect(claimsOf(body.access_token)['signed_in_at_ms']).toBe(first);
  });
});
