import { afterEach, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { AuthorizationCodesService } from '../../../src/tokens/grants/authorization-code/authorization-codes.service.js';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/test-app.js';
import { unique, World } from '../../support/world.js';

describe('Counted sign-in attempts', () => {
  let service: TestApp;
  let world: World;

  const start = async (label: string, points: number, override?: TestAppOptions['override']) => {
    const rateLimits = { enabled: true, overrides: { [label]: { points, seconds: 900 } } };
    service = await startTestApp({ settings: { rateLimits }, override });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  };

  afterEach(async () => {
    await world.close();
    await service.close();
  });

  it('of a locked address lock no other user out', async () => {
    await start('login_ip', 2);
    const app = await world.app(await world.tenant());
    const email = `victim-${unique()}@example.com`;
    const attempt = () => world.call('POST', '/auth/login', { email, password: 'wrong password', app_id: app.id });
    // The administrator of this world has signed in once from here.
    expect((await attempt()).status).toBe(401);
    for (let more = 0; more < 6; more++) expect((await attempt()).status).toBe(429);
    const { remaining } = await service.nest.get(RateLimitsService, { strict: false }).peek('login_email', email);
    // Of the 50 that a user has over all network addresses.
    expect(remaining).toBe(49);
  });

  it('do not include an internal error as a wrong code', async () => {
    const broken = { redeem: () => Promise.reject(new Error('the disk is full')) };
    await start('code_failures', 2, (builder) => builder.overrideProvider(AuthorizationCodesService).useValue(broken));
    const app = await world.app(await world.tenant());
    const statuses: number[] = [];
    for (let time = 0; time < 4; time++) {
      statuses.push((await world.call('POST', '/token/exchange', { code: unique(), app_id: app.id })).status);
    }
    expect(statuses).toEqual([500, 500, 500, 500]);
  });
});
