import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { wrongCode } from '../../support/authenticator.js';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type Enrolled, sessionsAndTokens } from '../../support/second-factor.js';
import { type SecondFactorService, startSecondFactorService } from '../../support/second-factor-service.js';
import type { TestUser, TestClient, World } from '../../support/world.js';

describe('Second factor on the hosted page', () => {
  let fixture: SecondFactorService;
  let world: World;
  let app: TestClient;
  let ada: { user: TestUser } & Enrolled;
  let browser: HostedBrowser;
  let page: HostedAnswer;
  let before: Record<string, number>;

  beforeAll(async () => {
    fixture = await startSecondFactorService();
    ({ world, app } = fixture);
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    ada = await fixture.enrolled();
    before = await sessionsAndTokens(world, ada.user);
    browser = new HostedBrowser(world.baseUrl);
    page = await browser.signIn(loginPath(app), ada.user.email, ada.user.password);
    expect(page.body).toContain('six digits');
  });

  const right = (step = 0) => ({ code: fixture.code(ada, step) });

  async function expectNothing(answer: HostedAnswer, at = browser): Promise<void> {
    expect(answer.location ?? '').not.toContain('code=');
    expect(at.cookie('sso')).toBeUndefined();
    expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
  }

  it('accepts an authenticator code and a backup code, each only once', async () => {
    expect((await browser.submit(page, right())).delivered.get('code')).not.toBeNull();
    for (const { code, status } of [
      { code: fixture.code(ada), status: 401 },
      { code: ada.backupCodes[0]!, status: 302 },
      { code: ada.backupCodes[0]!, status: 401 },
      { code: ada.backupCodes[1]!.toLowerCase().replaceAll('-', ' '), status: 302 },
    ]) {
      const other = new HostedBrowser(world.baseUrl);
      const asked = await other.signIn(loginPath(app), ada.user.email, ada.user.password);
      expect((await other.submit(asked, { code })).status).toBe(status);
    }
  });

  it('shows errors, keeps no code in the page, and shows the remaining attempts only when few are left', async () => {
    const empty = await browser.submit(page, { code: ' ' });
    expect([empty.status, empty.body.includes('Enter the six digits')]).toEqual([422, true]);
    const wrong = wrongCode(ada.secret);
    const said: (string | undefined)[] = [];
    let here = page;
    for (let time = 0; time < 5; time++) {
      here = await browser.submit(here, { code: wrong });
      expect(here.status).toBe(401);
      expect(here.body).not.toContain(wrong);
      said.push(/\d tr(?:y|ies) left\.|No tries left/.exec(here.body)?.[0]);
    }
    expect(said).toEqual([undefined, undefined, '2 tries left.', '1 try left.', 'No tries left']);
    const again = await browser.get(page.formAction().replace(/\/second_factor$/, ''));
    expect(again.body).toMatch(/No tries left\. Wait 15 minutes/);
    await expectNothing(again);
  });

  it('works only in the browser that gave the first factor', async () => {
    const stranger = new HostedBrowser(world.baseUrl);
    await stranger.get(loginPath(app));
    const attempt = page.formAction().replace(/\/second_factor$/, '');
    await expectNothing(await stranger.get(attempt), stranger);
    const posted = await stranger.post(page.formAction(), { form_token: page.formToken(), ...right() });
    expect(posted.status).toBe(403);
    await expectNothing(posted, stranger);
  });

  it.each([
    ['no form token', {}, {}],
    ['a foreign origin', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }, { form_token: true }],
    ['the token of another attempt', {}, { form_token: 'other' }],
  ])('rejects a form with %s', async (_, headers: Record<string, string>, { form_token }: { form_token?: unknown }) => {
    const other = await browser.get(loginPath(app));
    const token = form_token === 'other' ? other.formToken() : page.formToken();
    const fields = { ...right(), ...(form_token ? { form_token: token } : {}) } as Record<string, string>;
    const answer = await browser.post(page.formAction(), fields, headers);
    expect(answer.status).toBe(403);
    await expectNothing(answer);
  });

  it('is reset together with the first factor when the user changes the account', async () => {
    const change = page.formAction().replace(/second_factor$/, 'other-account');
    expect((await browser.post(change, { form_token: page.formToken() })).status).toBe(303);
    const late = await browser.submit(page, right());
    expect(late.body).toContain('type="password"');
    await expectNothing(late);
  });

  it('asks the user who signs in, not the user of the old session', async () => {
    const grace = await world.user(app);
    const attempt = page.formAction().replace(/\/second_factor$/, '');
    const fields = { form_token: page.formToken(), email: grace.email, password: grace.password };
    await browser.post(`${attempt}/password`, fields);
    const end = await browser.get(attempt);
    expect(end.delivered.get('code')).not.toBeNull();
    expect(await sessionsAndTokens(world, ada.user)).toEqual(before);
    const late = await browser.submit(page, right());
    expect(
      (await world.sql('SELECT user_id FROM sso_sessions WHERE user_id = $1 AND amr @> $2', [ada.user.id, ['otp']]))
        .length,
    ).toBe(0);
    expect(late.location ?? '').not.toContain('state');
  });

  it('needs its own code in each of two windows', async () => {
    const second = await browser.signIn(loginPath(app), ada.user.email, ada.user.password);
    const [one, other] = await Promise.all([browser.submit(page, right()), browser.submit(second, right())]);
    const ends = [one, other].filter(({ location }) => location?.includes('code='));
    // The slower one either met the spent code or, already signed in by the other window, was let through.
    expect(ends.length).toBeGreaterThanOrEqual(1);
    const [row] = await world.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM sso_sessions WHERE user_id = $1 AND amr @> $2`,
      [ada.user.id, ['otp']],
    );
    expect(row!.count).toBe(1);
  });

  it('of one attempt, sent twice at once, creates one session and one code', async () => {
    const send = () => browser.post(page.formAction(), { form_token: page.formToken(), ...right() });
    await Promise.all([send(), send(), send()]);
    const [row] = await world.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM sso_sessions WHERE user_id = $1 AND amr @> $2`,
      [ada.user.id, ['otp']],
    );
    expect(row!.count).toBe(1);
    expect((await browser.get(page.formAction().replace(/\/second_factor$/, ''))).delivered.get('code')).not.toBeNull();
  });

  it('waits five minutes after the password, then asks for the password again', async () => {
    fixture.clock.advance(299);
    expect((await browser.get(page.formAction().replace(/\/second_factor$/, ''))).body).toContain('six digits');
    fixture.clock.advance(2);
    const late = await browser.submit(page, right());
    expect(late.body).toContain('type="password"');
    await expectNothing(late);
    fixture.clock.advance(-301);
  });

  describe('after the first factor', () => {
    it('asks for the password again if the password was reset', async () => {
      await world.sql('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [ada.user.id]);
      const late = await browser.submit(page, right());
      expect([late.status, late.body.includes('type="password"')]).toEqual([200, true]);
      await expectNothing(late);
    });

    it('rejects a suspended user before checking the code', async () => {
      await world.asAdmin('POST', `/admin/users/${ada.user.id}/suspend`, { app_id: app.id });
      await expectNothing(await browser.submit(page, right()));
      const [factor] = await world.sql('SELECT last_step::int AS step FROM second_factors WHERE user_id = $1', [
        ada.user.id,
      ]);
      expect(factor).toEqual({ step: 0 });
    });

    it('ends if the app is switched off', async () => {
      const other = await world.app(fixture.tenant);
      await world.asAdmin('POST', '/admin/users/roles', { user_id: ada.user.id, app_id: other.id, roles: ['user'] });
      page = await browser.signIn(loginPath(other), ada.user.email, ada.user.password);
      await world.asAdmin('PUT', `/admin/apps/${other.id}`, { is_active: false });
      await expectNothing(await browser.submit(page, right()));
    });

    it('reports a removal from the app only after the code', async () => {
      await world.sql('DELETE FROM enrollments WHERE user_id = $1', [ada.user.id]);
      const wrong = await browser.submit(page, { code: wrongCode(ada.secret) });
      expect([wrong.status, wrong.body.includes('six digits') || wrong.body.includes('Incorrect code')]).toEqual([
        401,
        true,
      ]);
      await expectNothing(wrong);
      const told = await browser.submit(wrong, right());
      expect(told.status).toBe(200);
      expect(told.location ?? '').not.toContain('code=');
      expect(told.body).toMatch(/not have access|no access|invited/i);
    });

    it('does not create a session if the factor was removed', async () => {
      await world.sql('UPDATE users SET totp_enabled_at = NULL WHERE id = $1', [ada.user.id]);
      await world.sql('DELETE FROM second_factors WHERE user_id = $1', [ada.user.id]);
      const late = await browser.get(page.formAction().replace(/\/second_factor$/, ''));
      expect(late.body).toContain('type="password"');
      await expectNothing(late);
    });
  });

  it('is audited with the user, the app and the tenant', async () => {
    const wrong = await browser.submit(page, { code: wrongCode(ada.secret) });
    await browser.submit(wrong, right());
    const entries = await world.sql(
      `SELECT action, outcome, actor_type, actor_id::text, app_id, tenant_id, metadata -> 'amr' AS amr FROM audit_entries
       WHERE user_id = $1 AND app_id = $2 AND (action = 'totp.failed' OR metadata ->> 'via' = 'hosted') ORDER BY created_at, id`,
      [ada.user.id, app.id],
    );
    const who = { actor_type: 'user', actor_id: ada.user.id, app_id: app.id, tenant_id: app.tenantId };
    expect(entries).toEqual([
      { action: 'totp.failed', outcome: 'failure', ...who, amr: null },
      { action: 'user.login', outcome: 'success', ...who, amr: ['pwd', 'otp', 'mfa'] },
    ]);
  });

  it('leads to the account page for users without an app', async () => {
    const other = new HostedBrowser(world.baseUrl);
    const asked = await other.signIn('/account/sign-in', ada.user.email, ada.user.password);
    expect((await other.submit(asked, right())).location).toBe(`${world.baseUrl}/account`);
    const grace = await world.user();
    const free = new HostedBrowser(world.baseUrl);
    const end = await free.signIn('/account/sign-in', grace.email, grace.password);
    expect(end.location).toBe(`${world.baseUrl}/account`);
  });
});
