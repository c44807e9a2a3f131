import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { InviteRedemption } from '../../../src/invites/redemption/invite-redemption.service.js';
import { clientAddressKey } from '../../../src/rate-limits/client-address.js';
import { RateLimitStore } from '../../../src/rate-limits/counters/rate-limit-store.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { acceptAlone, acceptNew, newInvite, said } from '../../support/invites.js';
import { withPatientRedis } from '../../support/patient-redis.js';
import { emptyRedis, testRedisUrl } from '../../support/redis.js';
import { newAddress } from '../../support/new-user.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, sharedDatabaseUrl, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { PASSWORD, type TestClient, World } from '../../support/world.js';

// security 85, 105
describe('Rate limits of invite codes', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let database: TestDatabase | null = null;

  const start = async (label: string, points: number, { isShared = false, isAlone = false } = {}) => {
    const rateLimits = { enabled: true, overrides: { [label]: { points, seconds: 900 } } };
    if (isShared) await emptyRedis(); // sign-ins of other files from the same address
    if (isAlone) database = await freshDatabase();
    const databaseUrl = database?.url ?? sharedDatabaseUrl();
    service = await startTestApp({ settings: { databaseUrl, rateLimits, redisUrl: isShared ? testRedisUrl() : null } });
    if (isShared) withPatientRedis(service.nest.get(RateLimitStore, { strict: false }));
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  };

  afterEach(async () => {
    await world.close();
    await service.close();
    await database?.drop();
    database = null;
  });

  it('count invites by e-mail to an address in each tenant, and write nothing beyond', async () => {
    await start('member_mail', 2);
    const elsewhere = await world.app(await world.tenant());
    const send_to_email = newAddress();
    const invite = (to: string, where = app) =>
      world.call('POST', `/admin/apps/${where.id}/invites`, { send_to_email: to }, { token: world.admin.token });
    const statuses = [];
    for (const where of [app, app, app, elsewhere]) statuses.push((await invite(send_to_email, where)).status);
    expect(statuses).toEqual([201, 201, 429, 201]);
    expect((await invite(send_to_email.toUpperCase())).status).toBe(429);
    const made = await world.sql('SELECT id FROM invites WHERE email_canonical = $1', [send_to_email.toLowerCase()]);
    expect(made).toHaveLength(3);
    expect((await invite(newAddress())).status).toBe(201);
    expect((await world.call('POST', `/admin/apps/${app.id}/invites`, {}, { token: world.admin.token })).status).toBe(
      201,
    );
  });

  it('count ten times as many invites to an address in all tenants together', async () => {
    await start('member_mail', 1);
    const send_to_email = newAddress();
    const statuses = [];
    for (let n = 0; n < 11; n++) {
      const { id } = await world.app(await world.tenant());
      const { token } = world.admin;
      statuses.push((await world.call('POST', `/admin/apps/${id}/invites`, { send_to_email }, { token })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
  });

  it('count invites by e-mail of an app, and ten times as many of its tenant', async () => {
    await start('invite_mail', 1);
    const tenant = await world.tenant();
    const invite = async (where: TestClient) => {
      const path = `/admin/apps/${where.id}/invites`;
      return (await world.call('POST', path, { send_to_email: newAddress() }, { token: world.admin.token })).status;
    };
    const first = await world.app(tenant);
    expect([await invite(first), await invite(first)]).toEqual([201, 429]);
    const others: number[] = [];
    for (let n = 0; n < 10; n++) others.push(await invite(await world.app(tenant)));
    expect([...others, await invite(app)]).toEqual([...Array<number>(9).fill(201), 429, 201]);
  });

  it('count an invite once whose transaction is tried again, and lock no row while they count', async () => {
    await start('member_mail', 2, { isAlone: true });
    // Each second insert loses a deadlock.
    await world.sql('CREATE SEQUENCE inserts');
    await world.sql(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('inserts') % 2 = 1 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$`);
    await world.sql('CREATE TRIGGER lose BEFORE INSERT ON invites FOR EACH ROW EXECUTE FUNCTION lose()');
    const { id } = await newInvite(world, app, { send_to_email: newAddress() });
    const limits = service.nest.get(RateLimitsService, { strict: false });
    let unlocked = 0;
    limits.consume = async (...hit) => {
      unlocked += (await world.sql('SELECT 1 FROM invites WHERE id = $1 FOR UPDATE SKIP LOCKED', [id])).length;
      return RateLimitsService.prototype.consume.apply(limits, hit);
    };
    const resend = () => world.call('POST', `/admin/invites/${id}/resend`, undefined, { token: world.admin.token });
    expect([(await resend()).status, unlocked]).toEqual([200, 2]);
    expect(await world.sql(`SELECT last_value::int AS "inserts" FROM inserts`)).toEqual([{ inserts: 4 }]);
    expect((await resend()).status).toBe(409);
    expect(unlocked).toBe(2);
  });

  it('count wrong codes on both endpoints and codes for another address, and then reject the right one too', async () => {
    await start('invite_failures', 3);
    const [right, theirs] = [await newInvite(world, app), await newInvite(world, app, { send_to_email: newAddress() })];
    expect((await acceptNew(world, app, '0000000000000')).status).toBe(400);
    const second = { invite_code: '1111111111111', email: newAddress(), display_name: 'X' };
    expect((await world.call('POST', '/auth/invite', second)).status).toBe(400);
    expect((await acceptNew(world, app, theirs.code)).status).toBe(400);
    const answer = await acceptNew(world, app, right.code);
    expect(said(answer)).toEqual([429, { detail: 'too_many_requests' }]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800);
    const [row] = await world.sql('SELECT use_count FROM invites WHERE id = $1', [right.id]);
    expect(row).toEqual({ use_count: 0 });
  });

  it('accept exactly as many parallel attempts with wrong codes as the limit allows', async () => {
    await start('invite_failures', 3);
    const { code } = await newInvite(world, app);
    const guesses = Array.from({ length: 12 }, () => acceptNew(world, app, '0000000000000'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(3).fill(400), ...Array<number>(9).fill(429)]);
    expect((await acceptNew(world, app, code)).status).toBe(429);
  });

  it('let exactly so many of any number of addresses at once be tried with one mailed code', async () => {
    await start('invite_failures', 3);
    const { code } = await newInvite(world, app, { send_to_email: newAddress() });
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => acceptNew(world, app, code)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([...Array<number>(3).fill(400), ...Array<number>(9).fill(429)]);
  });

  it.each([
    ['memory', false],
    ['Redis', true],
  ])('take back no wrong code of another window, and none that is not there, in %s', async (_, isShared) => {
    await start('invite_failures', 3, { isShared });
    const limits = service.nest.get(RateLimitsService, { strict: false });
    const invites = service.nest.get(InviteRedemption, { strict: false });
    const restart = () => limits.clear('invite_failures', clientAddressKey('127.0.0.1'));
    const wrong = async () => (await acceptNew(world, app, '0000000000000')).status;
    await restart();
    for (const between of [[400], []]) {
      const { code } = await newInvite(world, app);
      let goOn = (): void => undefined;
      const pause = new Promise<void>((resolve) => (goOn = resolve));
      let tried = 0;
      invites.isFor = async (...asked) => {
        tried++;
        await pause;
        return InviteRedemption.prototype.isFor.apply(invites, asked);
      };
      const right = acceptNew(world, app, code);
      await eventually('a try under way', () => tried === 1);
      Reflect.deleteProperty(invites, 'isFor');
      await restart();
      // The next window must end measurably later.
      const restartedAt = performance.now();
      await eventually('another window', () => performance.now() > restartedAt + 50);
      for (const status of between) expect(await wrong()).toBe(status);
      goOn();
      expect((await right).status).toBe(200);
      for (let n = between.length; n < 3; n++) expect(await wrong()).toBe(400);
      expect(await wrong()).toBe(429);
      await restart();
    }
  });

  it('count no right codes, however many come at once', async () => {
    await start('invite_failures', 3);
    const invites = await Promise.all(Array.from({ length: 12 }, () => newInvite(world, app)));
    const answers = await Promise.all(invites.map(({ code }) => acceptNew(world, app, code)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(12).fill(200));
  });

  it('count on the hosted pages too, and on the page of a mailed link', async () => {
    await start('invite_failures', 3);
    const user = await world.user();
    const { code } = await newInvite(world, app);
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.signIn(loginPath(app), user.email, user.password);
    expect((await browser.submit(page, { code: '0000000000000' })).status).toBe(400);
    expect((await browser.get('/invite?code=0000000000000')).status).toBe(400);
    const newcomer = new HostedBrowser(service.baseUrl);
    const login = await newcomer.get(loginPath(app));
    const signUp = await newcomer.get(login.formAction().replace(/password$/, 'invited_sign_up'));
    const form = { email: newAddress(), display_name: 'X', password: PASSWORD };
    expect((await newcomer.submit(signUp, { ...form, code: '1111111111111' })).status).toBe(400);
    const late = await browser.submit(page, { code });
    expect([late.status, late.body.includes('Too many attempts')]).toEqual([429, true]);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await newcomer.submit(signUp, { ...form, code })).status).toBe(429);
    expect((await browser.get(`/invite?code=${code}`)).status).toBe(429);
  });

  it('are separate from those of one-time codes', async () => {
    await start('code_failures', 1);
    const exchange = () => world.call('POST', '/token/exchange', { code: 'bad', app_id: randomUUID() });
    expect([(await exchange()).status, (await exchange()).status]).toEqual([400, 429]);
    const { code } = await newInvite(world, app);
    expect((await acceptNew(world, app, '0000000000000')).status).toBe(400);
    expect((await acceptNew(world, app, code)).status).toBe(200);
  });

  it('do not count a short password, a missing name or a missing sign-in', async () => {
    await start('invite_failures', 1);
    const { code } = await newInvite(world, app);
    for (let time = 0; time < 2; time++) {
      expect((await acceptNew(world, app, code, { password: 'short' })).status).toBe(400);
      expect((await acceptAlone(world, app, code, { email: newAddress() })).status).toBe(422);
      expect((await acceptAlone(world, app, code, { email: world.admin.email })).status).toBe(401);
    }
    expect((await acceptNew(world, app, code)).status).toBe(200);
  });

  it('count new accounts like every sign-up', async () => {
    await start('signup_ip', 2);
    const { id, code } = await newInvite(world, app, { max_uses: 5 });
    const statuses = [];
    for (let time = 0; time < 3; time++) statuses.push((await acceptNew(world, app, code)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(await world.sql('SELECT use_count FROM invites WHERE id = $1', [id])).toEqual([{ use_count: 2 }]);
  });

  // Otherwise a shared invite would test addresses without limit.
  it('count each address without a sign-in as a sign-up, before they say whether it has an account', async () => {
    await start('signup_ip', 2);
    const { code } = await newInvite(world, app, { max_uses: 5 });
    const other = await world.app(await world.tenant());
    const user = await world.user(other);
    const ask = (email: string) => acceptAlone(world, app, code, { email });
    expect([(await ask(user.email)).status, (await ask(newAddress())).status]).toEqual([401, 422]);
    const limited = [await ask(user.email), await ask(newAddress())];
    expect(limited.map(({ status }) => status)).toEqual([429, 429]);
    expect(limited[0]!.body).toEqual(limited[1]!.body);
    // The sign-in of the address says who asks.
    const session = await world.login(user, other.id);
    const [cookie] = session.headers.getSetCookie()[0]!.split(';');
    expect((await acceptAlone(world, app, code, {}, { Cookie: cookie! })).status).toBe(200);
  });

  it('count a new account once', async () => {
    await start('signup_ip', 1);
    const { code } = await newInvite(world, app, { max_uses: 5 });
    expect((await acceptNew(world, app, code)).status).toBe(200);
    expect((await acceptNew(world, app, code)).status).toBe(429);
  });
});
