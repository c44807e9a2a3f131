import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type Tokens, World } from '../../support/world.js';

describe('POST /token/refresh', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const refresh = (refresh_token: string, extra = {}) =>
    world.call<Tokens & { detail: string }>('POST', '/token/refresh', { refresh_token, app_id: app.id, ...extra });

  it('gives a new pair and spends the old token', async () => {
    const person = await world.person(app);
    const first = await world.tokens(person, app.id);
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const again = await refresh(first.refresh_token);
    expect([again.status, again.body.detail]).toEqual([401, 'Invalid or expired refresh token']);
  });

  it('ends every sign-in of the user at the app when a spent token comes again', async () => {
    const person = await world.person(app);
    const [one, two] = [await world.tokens(person, app.id), await world.tokens(person, app.id)];
    const child = await refresh(one.refresh_token);
    await refresh(one.refresh_token);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
    expect((await refresh(two.refresh_token)).status).toBe(401);
  });
});
