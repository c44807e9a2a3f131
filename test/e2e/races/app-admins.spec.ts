import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestTenant, World } from '../../support/world.js';

// security 81
describe('Two admins of an app', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(() => world.close());

  it.each([
    ['take the role from', (path: string) => ['PUT', `${path}/roles`, { roles: ['user'] }] as const],
    ['suspend', (path: string) => ['POST', `${path}/suspend`, {}] as const],
    ['remove', (path: string) => ['DELETE', path, {}] as const],
  ])('who %s each other at the same time leave one', async (_, request) => {
    const app = await world.app(tenant);
    const pair = [await world.user(app, { roles: ['admin'] }), await world.user(app, { roles: ['admin'] })] as const;
    const tokens = await Promise.all(pair.map((each) => world.tokens(each, app.id)));
    const letGo = await holdRows(
      service.settings.databaseUrl!,
      'SELECT 1 FROM enrollments WHERE app_id = $1 FOR UPDATE',
      [app.id],
    );
    const sent = pair.map(({ id }, index) => {
      const [method, path, body] = request(`/admin/users/${id}`);
      return world.call(method, path, { ...body, app_id: app.id }, { token: tokens[1 - index]!.access_token });
    });
    await waitersForLocks(world, 2);
    await letGo();
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const left = `SELECT user_id FROM enrollments WHERE app_id = $1 AND status = 'active' AND 'admin' = ANY (roles)`;
    expect(await world.sql(left, [app.id])).toHaveLength(1);
  });
});
