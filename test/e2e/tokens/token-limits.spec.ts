import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UserLimitsService } from '../../../src/admin/users/limits/user-limits.service.js';
import { systemContext } from '../../../src/common/request-context.js';
import { statementsOf } from '../../support/counted-work.js';
import { beginDevice, deviceApp, pollDevice } from '../../support/device-grant.js';
import { judged } from '../../support/judged.js';
import { newCode } from '../../support/one-time-code.js';
import { basic, type Failure, postForm, postJson } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

// security 71, 104, 105
describe('Rate limits at the token endpoints', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: true, overrides: {} }, trustProxy: 1 } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const expectLimited = (answer: Answer<Failure>) => {
    expect([answer.status, answer.body.detail]).toEqual([429, 'too_many_requests']);
    expect(answer.body.error).toBe('too_many_requests');
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  };

  describe('client_credentials', () => {
    const request = (client_id: string, client_secret: string, from = '192.0.2.1') => {
      const body = { grant_type: 'client_credentials', client_id, client_secret };
      return postJson(`${world.baseUrl}/auth/token`, body, { 'X-Forwarded-For': from });
    };

    it('allows ten attempts per client and IP address in 15 minutes, successful ones included; the eleventh returns 429 (security 71)', async () => {
      app = await world.app(tenant);
      for (let n = 0; n < 10; n++) {
        const right = n % 2 === 0;
        expect((await request(app.id, right ? app.secret : 'wrong')).status).toBe(right ? 200 : 401);
      }
      expectLimited(await request(app.id, app.secret));
      expectLimited(await request(app.id.toUpperCase(), app.secret));
      const fields = { grant_type: 'client_credentials' };
      const headers = { ...basic(app.id, app.secret), 'X-Forwarded-For': '192.0.2.1' };
      expectLimited(await postForm(`${world.baseUrl}/auth/token`, fields, headers));
    });

    it('does not let others use up the attempts of an app’s server, nor one server those of another', async () => {
      app = await world.app(tenant);
      for (let n = 0; n < 30; n++) await request(app.id, 'wrong', '198.51.100.66');
      expectLimited(await request(app.id, 'wrong', '198.51.100.66'));
      for (const server of ['192.0.2.10', '192.0.2.11'])
        for (let n = 0; n < 10; n++) expect((await request(app.id, app.secret, server)).status).toBe(200);
      expectLimited(await request(app.id, app.secret, '192.0.2.10'));
    });

    it('counts an IPv6 /48 too, with ten times the attempts of a /64', async () => {
      app = await world.app(tenant);
      const from = (net: number) => request(app.id, 'wrong', `2001:db8:77:${net.toString(16)}::1`);
      for (let net = 1; net <= 10; net++) {
        for (let n = 0; n < 10; n++) expect((await from(net)).status).toBe(401);
        expectLimited(await from(net));
      }
      expectLimited(await from(11));
      expect((await request(app.id, app.secret, '2001:db8:78::1')).status).toBe(200);
    });

    it('is shown and cleared for the app’s id', async () => {
      app = await world.app(tenant);
      for (let n = 0; n < 11; n++) await request(app.id, 'wrong', '198.51.100.67');
      const limits = service.nest.get(UserLimitsService, { strict: false });
      const { records } = await limits.inspectAddress({ client: app.id });
      expect(records).toContainEqual({
        label: 'client_credentials',
        key: `${app.id} 198.51.100.67`,
        count: 11,
        ttl: expect.any(Number),
        points: 10,
      });
      expect((await limits.inspectAddress({ network: '198.51.100.67' })).records).toContainEqual(
        expect.objectContaining({ key: `${app.id} 198.51.100.67` }),
      );
      await limits.clearAddress(systemContext('test'), { client: app.id });
      expect((await request(app.id, app.secret, '198.51.100.67')).status).toBe(200);
    });

    it('counts unknown ids together by IP address, so that a new id gives no new attempts', async () => {
      app = await world.app(tenant);
      const from = '198.51.100.70';
      const unknown = () => [randomUUID(), `made up ${randomUUID()}`, tenant.id];
      for (let n = 0; n < 10; n++) expect((await request(unknown()[n % 3]!, 'x', from)).status).toBe(401);
      for (const id of unknown()) expectLimited(await request(id, 'x', from));
      expect((await request(app.id, app.secret, from)).status).toBe(200);
      const limits = service.nest.get(UserLimitsService, { strict: false });
      const { records } = await limits.inspectAddress({ network: from });
      expect(records.filter(({ label }) => label === 'client_credentials').map(({ key }) => key)).toEqual([
        from,
        `${app.id} ${from}`,
      ]);
      await limits.clearAddress(systemContext('test'), { network: from });
      expect((await request(randomUUID(), 'x', from)).status).toBe(401);
    });

    it('counts each client separately, and unknown ones too', async () => {
      const [one, two] = [await world.app(tenant), await world.app(tenant)];
      for (let n = 0; n < 11; n++) await request(one.id, 'wrong');
      expect((await request(two.id, two.secret)).status).toBe(200);
      for (let n = 0; n < 10; n++) expect((await request(tenant.id, 'x')).status).toBe(401);
      expectLimited(await request(tenant.id, 'x'));
    });
  });

  it('allows ten unknown device codes per app and IP address; then they return 429, and waiting devices may still poll', async () => {
    const television = await deviceApp(world, tenant);
    const device = await beginDevice(world, television);
    const poll = (code: string) => pollDevice(world.baseUrl, television, code, { 'X-Forwarded-For': '192.0.2.23' });
    for (let n = 0; n < 10; n++) expect((await poll('x'.repeat(43))).body.error).toBe('invalid_grant');
    expectLimited(await poll('x'.repeat(43)));
    expect((await poll(device.device_code)).body.error).toBe('authorization_pending');
  });

  describe('POST /token/exchange', () => {
    const exchange = (code: string, client: { app_id: string; client_secret?: string }, from = '192.0.2.20') =>
      postJson(`${world.baseUrl}/token/exchange`, { code, ...client }, { 'X-Forwarded-For': from });
    const proven = () => ({ app_id: app.id, client_secret: app.secret });

    it('allows no more failures if all are sent at once (security 103)', async () => {
      app = await world.app(tenant);
      const wrong = Array.from({ length: 25 }, (_, n) => exchange(`bad ${n}`, { app_id: app.id }, '192.0.2.21'));
      const answers = judged(await Promise.all(wrong));
      const refused = answers.filter(({ status }) => status === 400).length;
      expect(refused).toBeLessThanOrEqual(10);
      // One that was sent away may have been counted before.
      expect(refused).toBeGreaterThanOrEqual(10 - (wrong.length - answers.length));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - refused);
    });

    it('allows ten failures per app and IP address in 15 minutes; then wrong codes return 429, and right ones tokens', async () => {
      app = await world.app(tenant);
      const user = await world.user(app);
      const good = [
        await newCode(world, app, user),
        await newCode(world, app, user),
        await newCode(world, app, user),
        await newCode(world, app, user),
      ];
      for (let n = 0; n < 9; n++) expect((await exchange(`bad ${n}`, { app_id: app.id })).status).toBe(400);
      expect((await exchange(good[0]!, { app_id: app.id })).status).toBe(200);
      expect((await exchange('bad 10', { app_id: app.id })).status).toBe(400);
      expectLimited(await exchange('bad 11', { app_id: app.id }));
      expect((await exchange(good[1]!, { app_id: app.id.toUpperCase() })).status).toBe(200);
      expectLimited(await exchange(good[1]!, { app_id: app.id }));
      const pkce = {
        grant_type: 'authorization_code',
        code: good[2]!,
        client_id: app.id,
        code_verifier: 'x'.repeat(43),
      };
      const oauth = (code: string) =>
        postForm<Failure>(`${world.baseUrl}/auth/token`, { ...pkce, code }, { 'X-Forwarded-For': '192.0.2.20' });
      expectLimited(await oauth('bad'));
      // The verifier is wrong, which uses up the code.
      expectLimited(await oauth(good[2]!));
      expectLimited(await exchange(good[2]!, { app_id: app.id }));
      expect((await exchange(good[3]!, { app_id: app.id })).status).toBe(200);
      const other = await world.app(tenant);
      expect((await exchange('bad', { app_id: other.id })).status).toBe(400);
      expect((await exchange('bad', { app_id: app.id }, '192.0.2.21')).status).toBe(400);
    });

    it('revokes the tokens of a code that is used again, also beyond the limit', async () => {
      app = await world.app(tenant);
      const code = await newCode(world, app, await world.user(app));
      const from = '192.0.2.24';
      const fields = { code, app_id: app.id };
      const first = await postJson<Tokens>(`${world.baseUrl}/token/exchange`, fields, { 'X-Forwarded-For': from });
      const { refresh_token } = first.body;
      for (let n = 0; n < 10; n++) await exchange(`bad ${n}`, { app_id: app.id }, from);
      expectLimited(await exchange(code, { app_id: app.id }, from));
      expect(first.status).toBe(200);
      expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(401);
    });

    it('looks up a wrong code beyond the limit, and opens no transaction for it', async () => {
      app = await world.app(tenant);
      const wrong = () => exchange('bad', { app_id: app.id }, '192.0.2.22');
      for (let n = 0; n < 10; n++) await wrong();
      const statements = await statementsOf(wrong);
      expect(statements.filter((text) => /^(BEGIN|START TRANSACTION)/.test(text))).toEqual([]);
      expect(statements.filter((text) => text.includes('authorization_codes'))).toHaveLength(1);
    });

    it('never limits an app that sends its secret, whatever codes attackers send to its callback', async () => {
      app = await world.app(tenant);
      const user = await world.user(app);
      const good = [await newCode(world, app, user), await newCode(world, app, user)];
      for (let n = 0; n < 12; n++) expect((await exchange(`bad ${n}`, proven())).status).toBe(400);
      expect((await exchange('bad', { app_id: app.id })).status).toBe(400);
      for (let n = 0; n < 10; n++) await exchange(`bad ${n}`, { app_id: app.id });
      expectLimited(await exchange('bad', { app_id: app.id }));
      expect((await exchange(good[0]!, proven())).status).toBe(200);
      const oauth = await postForm(
        `${world.baseUrl}/auth/token`,
        { grant_type: 'authorization_code', code: good[1]!, redirect_uri: app.redirectUri },
        { ...basic(app.id, app.secret), 'X-Forwarded-For': '192.0.2.20' },
      );
      expect(oauth.status).toBe(200);
    });

    it('counts wrong secrets, and unknown ids by the IP address only', async () => {
      app = await world.app(tenant);
      const wrong = { app_id: app.id, client_secret: 'wrong' };
      for (let n = 0; n < 10; n++) expect((await exchange('bad', wrong, '192.0.2.30')).status).toBe(401);
      expectLimited(await exchange('bad', wrong, '192.0.2.30'));
      for (let n = 0; n < 10; n++)
        expect((await exchange('bad', { app_id: randomUUID() }, '192.0.2.30')).status).toBe(400);
      expectLimited(await exchange('bad', { app_id: randomUUID() }, '192.0.2.30'));
      expect((await exchange('bad', proven(), '192.0.2.30')).status).toBe(400);
    });
  });
});
