import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { wrongCode } from '../../support/authenticator.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { judged } from '../../support/judged.js';
import { type Enrolled, sessionOf, totpSession, verify } from '../../support/second-factor.js';
import { type SecondFactorService, startSecondFactorService } from '../../support/second-factor-service.js';
import type { Answer, TestUser } from '../../support/world.js';

const MANY = { points: 1000, seconds: 900 };

// security 13
describe('Wrong second-factor codes', () => {
  let fixture: SecondFactorService;
  let ada: { user: TestUser } & Enrolled;

  beforeAll(async () => {
    fixture = await startSecondFactorService();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    ada = await fixture.enrolled();
  });

  const session = (at = fixture) => totpSession(at.world, ada.user, at.app.id);
  const guess = async (totp_session?: string) =>
    verify(fixture.world, totp_session ?? (await session()), wrongCode(ada.secret));
  const right = async (totp_session?: string) =>
    verify(fixture.world, totp_session ?? (await session()), fixture.code(ada));
  /** As if the window, or the lock, had run its time. */
  const windowEnds = () => fixture.service.nest.get(RateLimitsService, { strict: false }).clear('totp', ada.user.id);
  const failures = async () =>
    (
      await fixture.world.sql(`SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'totp.failed'`, [
        ada.user.id,
      ])
    ).length;

  function expectLimited(answer: Answer<{ detail?: unknown }>): void {
    expect([answer.status, answer.body]).toEqual([429, { detail: 'Too many TOTP attempts' }]);
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
  }

  it('are limited to five in 15 minutes over all sessions, after which the right code must wait', async () => {
    for (let time = 0; time < 5; time++) expect((await guess()).status).toBe(401);
    expectLimited(await guess());
    expectLimited(await right());
    expect(await failures()).toBe(5);
  });

  it('count on the hosted page, over JSON and at the account together', async () => {
    const session = sessionOf(await right());
    for (const path of ['/account/totp/disable', '/account/backup-codes'])
      expect((await fixture.world.call('POST', path, { code: wrongCode(ada.secret) }, session)).status).toBe(401);
    const browser = new HostedBrowser(fixture.world.baseUrl);
    let page = await browser.signIn(loginPath(fixture.app), ada.user.email, ada.user.password);
    for (let time = 0; time < 2; time++) {
      page = await browser.submit(page, { code: wrongCode(ada.secret) });
      expect(page.status).toBe(401);
    }
    expect((await guess()).status).toBe(401);
    expectLimited(await guess());
    const limited = await browser.submit(page, { code: fixture.code(ada, 1) });
    expect([limited.status, limited.location]).toEqual([429, null]);
    expect(limited.body).toMatch(/Wait 1[45] minutes, then try again/);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(800);
    expectLimited(await fixture.world.call('POST', '/account/totp/disable', { code: fixture.code(ada, 1) }, session));
    expect(await failures()).toBe(5);
  });

  it('count in the set-up too', async () => {
    const user = await fixture.world.user(fixture.app);
    const { access_token: token } = await fixture.world.tokens(user, fixture.app.id);
    const { password } = user;
    const setup = await fixture.world.call<{ secret: string }>('POST', '/account/totp/setup', { password }, { token });
    const confirm = (code: string) => fixture.world.call('POST', '/account/totp/confirm', { code }, { token });
    for (let time = 0; time < 5; time++) expect((await confirm(wrongCode(setup.body.secret))).status).toBe(401);
    expectLimited(await confirm(fixture.code({ ...setup.body, backupCodes: [] })));
  });

  it('are reset by a right authenticator or backup code', async () => {
    for (let time = 0; time < 4; time++) expect((await guess()).status).toBe(401);
    expect((await right()).status).toBe(200);
    for (let time = 0; time < 4; time++) expect((await guess()).status).toBe(401);
    expect((await verify(fixture.world, await session(), ada.backupCodes[0])).status).toBe(200);
    for (let time = 0; time < 5; time++) expect((await guess()).status).toBe(401);
    expectLimited(await guess());
  });

  it('lock the second factor after five in a row, however much time is between them', async () => {
    for (let time = 0; time < 4; time++) expect((await guess()).status).toBe(401);
    await windowEnds();
    const page = await new HostedBrowser(fixture.world.baseUrl).signIn(
      loginPath(fixture.app),
      ada.user.email,
      ada.user.password,
    );
    expect(page.body).toContain('1 try left.');
    expect((await guess()).status).toBe(401);
    expectLimited(await right());
    await windowEnds();
    expect((await guess()).status).toBe(401);
    expect((await right()).status).toBe(200);
  });

  it('of one user do not lock another user', async () => {
    for (let time = 0; time < 6; time++) await guess();
    ada = await fixture.enrolled();
    expect((await right()).status).toBe(200);
  });

  it('do not block the password, magic links or existing sessions', async () => {
    const { body } = await right();
    for (let time = 0; time < 6; time++) await guess();
    const refresh = { refresh_token: body.refresh_token, app_id: fixture.app.id };
    expect((await fixture.world.call('POST', '/token/refresh', refresh)).status).toBe(200);
    expect((await fixture.world.login(ada.user, fixture.app.id)).status).toBe(200);
  });

  it('are limited with RATE_LIMITS=off as well', async () => {
    const off = await startSecondFactorService({ rateLimits: { enabled: false, overrides: {} } });
    try {
      ada = await off.enrolled();
      for (let time = 0; time < 5; time++)
        expect((await verify(off.world, await session(off), wrongCode(ada.secret))).status).toBe(401);
      expectLimited(await verify(off.world, await session(off), off.code(ada)));
    } finally {
      await off.close();
    }
  });

  describe('after repeated locks', () => {
    const limits = () => fixture.service.nest.get(RateLimitsService, { strict: false });
    const lockedFor = async () => {
      for (let time = 0; time < 5; time++) expect((await guess()).status).toBe(401);
      const answer = await guess();
      expect([answer.status, answer.body]).toEqual([429, { detail: 'Too many TOTP attempts' }]);
      return Number(answer.headers.get('retry-after'));
    };
    const entries = () =>
      fixture.world.sql(
        `SELECT app_id, metadata FROM audit_entries WHERE user_id = $1 AND action = 'totp.locked' ORDER BY ordinal`,
        [ada.user.id],
      );
    const near = (seconds: number, wanted: number) => {
      expect(seconds).toBeGreaterThan(wanted - 60);
      expect(seconds).toBeLessThanOrEqual(wanted);
    };

    it('lock for twice as long each time, up to a day', async () => {
      const minutes = [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440];
      for (const [n, each] of minutes.entries()) {
        near(await lockedFor(), each * 60);
        expect((await entries()).at(-1)).toEqual({
          app_id: fixture.app.id,
          metadata: { locks: n + 1, seconds: each * 60 },
        });
        await windowEnds();
      }
    });

    it.each(['a right code', 'an administrator who clears the limits', 'an administrator who takes the factor off'])(
      'start again with 15 minutes after %s',
      async (what) => {
        await lockedFor();
        await windowEnds();
        await lockedFor();
        if (what === 'a right code') {
          await windowEnds();
          expect((await right()).status).toBe(200);
        } else if (what === 'an administrator who clears the limits') {
          await fixture.world.asAdmin('POST', `/admin/users/${ada.user.id}/rate-limits/clear`);
        } else {
          await fixture.world.asAdmin('POST', `/admin/users/${ada.user.id}/totp/reset`);
          expect(await limits().inspect([{ label: 'totp_lock', key: ada.user.id }])).toEqual([]);
          return;
        }
        near(await lockedFor(), 900);
      },
    );
  });

  describe('with a higher limit for the user', () => {
    let lenient: SecondFactorService;

    beforeAll(async () => {
      lenient = await startSecondFactorService({
        rateLimits: { enabled: true, overrides: { totp: MANY, totp_failures: MANY } },
      });
    });

    afterAll(() => lenient.close());

    beforeEach(async () => {
      lenient.clock.advance((Date.now() - lenient.clock.now().getTime()) / 1_000);
      ada = await lenient.enrolled();
    });

    const expectSpent = (answer: Answer<{ detail?: unknown }>) => {
      expect([answer.status, answer.body]).toEqual([429, { detail: 'Too many TOTP attempts' }]);
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(200);
      // Until the session ends by the database's clock; the one of this service stands still during a test.
      expect(seconds).toBeLessThanOrEqual(420);
    };
    const expectDead = async (totp_session: string) =>
      expectSpent(await verify(lenient.world, totp_session, lenient.code(ada)));

    it('are limited to five for each session, which then rejects the right code too (RFC 6585 429)', async () => {
      const totp_session = await session(lenient);
      for (let time = 0; time < 5; time++)
        expect((await verify(lenient.world, totp_session, wrongCode(ada.secret))).status).toBe(401);
      await expectDead(totp_session);
      expect((await verify(lenient.world, await session(lenient), lenient.code(ada))).status).toBe(200);
    });

    it('are limited to five for each session when sent in parallel', async () => {
      const totp_session = await session(lenient);
      const wrong = wrongCode(ada.secret);
      const answers = judged(
        await Promise.all(Array.from({ length: 24 }, () => verify(lenient.world, totp_session, wrong))),
      );
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
      const refused = answers.filter(({ status }) => status !== 401);
      expect(refused).toHaveLength(answers.length - 5);
      refused.forEach(expectSpent);
      await expectDead(totp_session);
    });

    it('still let the fifth attempt succeed with the right code', async () => {
      const totp_session = await session(lenient);
      for (let time = 0; time < 4; time++) await verify(lenient.world, totp_session, wrongCode(ada.secret));
      expect((await verify(lenient.world, totp_session, lenient.code(ada))).status).toBe(200);
    });
  });
});
