import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { aadOfTotpSecret } from '../../../src/auth/credentials/second-factor/stored/second-factor.rules.js';
import { newTotpSecret } from '../../../src/auth/credentials/second-factor/stored/totp.js';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { codeAt } from '../../support/authenticator.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { enroll, type Enrolled, sessionOf, totpSession, verify } from '../../support/second-factor.js';
import { type SecondFactorService, startSecondFactorService } from '../../support/second-factor-service.js';
import type { TestUser } from '../../support/world.js';

describe('Authenticator code', () => {
  let fixture: SecondFactorService;
  let ada: { user: TestUser } & Enrolled;

  beforeAll(async () => {
    fixture = await startSecondFactorService();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    ada = await fixture.enrolled();
  });

  const session = () => totpSession(fixture.world, ada.user, fixture.app.id);
  const show = async (code: unknown, totp_session?: string) => {
    const answer = await verify(fixture.world, totp_session ?? (await session()), code);
    return [answer.status, answer.body.detail ?? 'tokens'];
  };
  const WRONG = [401, 'Invalid TOTP code'];
  const IN = [200, 'tokens'];

  const hosted = async (code: string) => {
    const browser = new HostedBrowser(fixture.world.baseUrl);
    const page = await browser.signIn(loginPath(fixture.app), ada.user.email, ada.user.password);
    return { browser, answer: await browser.submit(page, { code }) };
  };

  it('can be replaced by a backup code even if the secret cannot be decrypted', async () => {
    const [{ sealed_secret: sealed } = { sealed_secret: '' }] = await fixture.world.sql<{ sealed_secret: string }>(
      'SELECT sealed_secret FROM second_factors WHERE user_id = $1',
      [ada.user.id],
    );
    expect(sealed).toMatch(/^v1\./);
    await fixture.world.sql("UPDATE second_factors SET sealed_secret = 'v1.00000000.gone' WHERE user_id = $1", [
      ada.user.id,
    ]);
    expect(await show(ada.backupCodes[0])).toEqual(IN);
  });

  // security 11
  describe('works once', () => {
    it('in its own session and in any other', async () => {
      const [first, second] = [await session(), await session()];
      expect(await show(fixture.code(ada), first)).toEqual(IN);
      expect(await show(fixture.code(ada), second)).toEqual(WRONG);
    });

    it('also within the neighboring time steps', async () => {
      const code = fixture.code(ada, 1);
      expect(await show(code)).toEqual(IN);
      fixture.clock.advance(30);
      expect(await show(code)).toEqual(WRONG);
      fixture.clock.advance(30);
      expect(await show(code)).toEqual(WRONG);
    });

    it('and invalidates all earlier codes', async () => {
      const [before, now, next] = [-1, 0, 1].map((step) => fixture.code(ada, step));
      expect(await show(now)).toEqual(IN);
      expect(await show(before)).toEqual(WRONG);
      expect(await show(next)).toEqual(IN);
    });

    it('at the hosted page after use over JSON', async () => {
      expect(await show(fixture.code(ada))).toEqual(IN);
      const { browser, answer } = await hosted(fixture.code(ada));
      expect([answer.status, answer.location]).toEqual([401, null]);
      expect(browser.cookie('sso')).toBeUndefined();
    });

    it('over JSON and at the account after use on the hosted page', async () => {
      const { answer } = await hosted(fixture.code(ada));
      expect(answer.delivered.get('code')).not.toBeNull();
      expect(await show(fixture.code(ada))).toEqual(WRONG);
    });

    it('and the one that confirmed the set-up is spent', async () => {
      const user = await fixture.world.user(fixture.app);
      const { access_token: token } = await fixture.world.tokens(user, fixture.app.id);
      const { password } = user;
      const setup = await fixture.world.call<{ secret: string }>(
        'POST',
        '/account/totp/setup',
        { password },
        { token },
      );
      const code = fixture.code({ ...setup.body, backupCodes: [] });
      expect((await fixture.world.call('POST', '/account/totp/confirm', { code }, { token })).status).toBe(200);
      const answer = await verify(fixture.world, await totpSession(fixture.world, user, fixture.app.id), code);
      expect([answer.status, answer.body.detail]).toEqual(WRONG);
    });

    it('for new backup codes and for removing the factor too', async () => {
      const signedIn = sessionOf(await verify(fixture.world, await session(), fixture.code(ada)));
      for (const path of ['/account/backup-codes', '/account/totp/disable']) {
        const again = await fixture.world.call('POST', path, { code: fixture.code(ada) }, signedIn);
        expect([again.status, again.body['detail']]).toEqual(WRONG);
      }
    });
  });

  // security 14
  it.each([
    [-2, WRONG],
    [-1, IN],
    [0, IN],
    [1, IN],
    [2, WRONG],
  ])('of the time step %d relative to now returns %p', async (step, expected) => {
    expect(await show(fixture.code(ada, step))).toEqual(expected);
  });

  it('consists of six plain digits', async () => {
    // A secret whose code begins with 0 now: as `026920` without its zero, what a lenient reader would take.
    const secrets = Array.from({ length: 1000 }, () => newTotpSecret({ bytes: randomBytes, uuid: () => '' }));
    const secret = secrets.find((each) => codeAt(each, fixture.clock.seconds()).startsWith('0'))!;
    const sealed = fixture.service.nest.get(SecretBox, { strict: false }).seal(secret, aadOfTotpSecret(ada.user.id));
    await fixture.world.sql('UPDATE second_factors SET sealed_secret = $2 WHERE user_id = $1', [ada.user.id, sealed]);
    ada = { ...ada, secret };
    const code = fixture.code(ada);
    const forms = [` ${code.slice(1)}`, `${code}x`, `+${code.slice(1)}`, `0${code}`];
    for (const form of forms) expect(await show(form)).toEqual(WRONG);
    const { answer } = await hosted(` ${code.slice(1)}`);
    expect(answer.status).toBe(401);
    await fixture.service.nest.get(RateLimitsService, { strict: false }).clear('totp', ada.user.id);
    const fullWidth = [...code].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join('');
    for (const form of [fullWidth, ` ${code}`, `${code} `, `${code}\n`]) expect(await show(form)).toEqual(WRONG);
    expect(await show(code)).toEqual(IN);
  });

  it('consists of six plain digits at the account’s JSON endpoints too', async () => {
    const signedIn = sessionOf(await verify(fixture.world, await session(), ada.backupCodes[0]));
    for (const path of ['/account/backup-codes', '/account/totp/disable']) {
      const answer = await fixture.world.call('POST', path, { code: ` ${fixture.code(ada)}` }, signedIn);
      expect([path, answer.status, answer.body['detail']]).toEqual([path, ...WRONG]);
    }
    const user = await fixture.world.user(fixture.app);
    const fresh = sessionOf(await fixture.world.login(user, fixture.app.id));
    const setup = await fixture.world.call<{ secret: string }>('POST', '/account/totp/setup', {}, fresh);
    const code = fixture.code({ ...setup.body, backupCodes: [] });
    const padded = await fixture.world.call('POST', '/account/totp/confirm', { code: `${code} ` }, fresh);
    expect([padded.status, padded.body['detail']]).toEqual(WRONG);
    expect((await fixture.world.call('POST', '/account/totp/confirm', { code }, fresh)).status).toBe(200);
  });

  it('is accepted in two groups on the page, as apps show it', async () => {
    const code = fixture.code(ada);
    const { answer } = await hosted(` ${code.slice(0, 3)} ${code.slice(3)} `);
    expect(answer.delivered.get('code')).not.toBeNull();
  });

  it.each([
    ['empty', ''],
    ['a list', ['000000']],
    ['a number', 123456],
    ['an object', { $ne: 1 }],
    ['null', null],
    ['too long', '0'.repeat(65)],
  ])('that is %s returns 422 and does not count as an attempt', async (_, code) => {
    const totp_session = await session();
    for (let time = 0; time < 6; time++) expect((await verify(fixture.world, totp_session, code)).status).toBe(422);
    expect(await show(fixture.code(ada), totp_session)).toEqual(IN);
  });

  it('of another user is wrong', async () => {
    const other = await fixture.enrolled();
    expect(await show(fixture.code(other))).toEqual(WRONG);
    expect(await show(other.backupCodes[0])).toEqual(WRONG);
  });

  it('of a replaced factor is wrong', async () => {
    const signedIn = sessionOf(await verify(fixture.world, await session(), fixture.code(ada)));
    const off = await fixture.world.call('POST', '/account/totp/disable', { code: ada.backupCodes[0] }, signedIn);
    expect([off.status, off.body]).toEqual([200, { status: 'ok' }]);
    const renewed = await enroll(fixture.world, ada.user, fixture.app.id, () => fixture.clock.seconds());
    expect(await show(fixture.code(ada))).toEqual(WRONG);
    expect(await show(ada.backupCodes[1])).toEqual(WRONG);
    expect(await show(fixture.code(renewed))).toEqual(IN);
  });
});
