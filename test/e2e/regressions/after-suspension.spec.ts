import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { World } from '../../support/world.js';

describe('Access token from before a suspension', () => {
  let service: SharedTestApp;
  let world: World;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  const cases = [
    ['an ordinary app', (_: { consoleAppId: string }, appId: string) => appId],
    ['a tenant’s Console', (tenant: { consoleAppId: string }) => tenant.consoleAppId],
  ] as const;

  it.each(cases)('stays invalid at the admin API and at /token/verify after the reactivation: %s', async (_, of) => {
    const tenant = await world.tenant();
    const appId = of(tenant, (await world.app(tenant)).id);
    const admin = await world.user({ id: appId }, { roles: ['admin'] });
    const { access_token: token } = await world.tokens(admin, appId);
    expect((await world.call('GET', '/admin/users', undefined, { token })).status).toBe(200);
    // Token times are whole seconds: what was issued in the very second of the reactivation is let through.
    await sleep(1_100);
    await world.asAdmin('POST', `/admin/users/${admin.id}/suspend`, { app_id: appId });
    await world.asAdmin('PUT', `/admin/users/${admin.id}/apps/${appId}/reactivate`);

    await eventually('the refusal', async () => {
      return (await world.call('GET', '/admin/users', undefined, { token })).status === 401;
    });
    const verified = await world.call('POST', '/token/verify', { token, audience: appId });
    expect(verified.body).toEqual({ valid: false, error: 'User not enrolled' });
    const { access_token: fresh } = await world.tokens(admin, appId);
    expect((await world.call('GET', '/admin/users', undefined, { token: fresh })).status).toBe(200);
  });
});
