import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt } from '../../support/authenticator.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

interface Check {
  readonly user_id: string;
  readonly app_id: string;
  readonly allowed: boolean;
  readonly rules: { readonly rule: string; readonly verdict: string; readonly explanation: string }[];
}

describe('GET /admin/users/{user_id}/access-check in detail', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const check = (id: string, appId = app.id) =>
    world.asAdmin<Check>('GET', `/admin/users/${id}/access-check?app_id=${appId}`);
  const rule = ({ rules }: Check, name: string) => rules.find((each) => each.rule === name)!;

  it('returns both ids, the verdict and each rule once with an explanation', async () => {
    const user = await world.user(app);
    const answer = await check(user.id, app.id.toUpperCase());
    expect(answer).toEqual({ user_id: user.id, app_id: app.id, allowed: true, rules: expect.any(Array) });
    const names = answer.rules.map((each) => each.rule);
    expect(new Set(names).size).toBe(names.length);
    for (const each of answer.rules) {
      expect(Object.keys(each).sort()).toEqual(['explanation', 'rule', 'verdict']);
      expect(['pass', 'info']).toContain(each.verdict);
    }
    expect(JSON.stringify(answer)).not.toMatch(/hash|secret|\$2[aby]\$/);
  });

  it('explains to users who have not joined the app how they can', async () => {
    const explanations: Record<string, RegExp> = { open: /join/, approval: /request access/, invite: /invite/ };
    for (const [registration_policy, explanation] of Object.entries(explanations)) {
      const other = await world.app(tenant, { registration_policy });
      const { id } = await world.user(app);
      const answer = await check(id, other.id);
      expect([answer.allowed, rule(answer, 'enrolled').verdict]).toEqual([false, 'fail']);
      expect(rule(answer, 'enrolled').explanation).toMatch(explanation);
    }
  });

  it('shows when the next password attempt is possible, and that another sign-in method works', async () => {
    const passwordsOnly = await world.app(tenant, { config: { allowed_providers: ['password'] } });
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: passwordsOnly.id, roles: [] });
    for (let attempt = 0; attempt < 5; attempt++) await world.login({ ...user, password: 'wrong' }, app.id);
    expect((await world.login(user, passwordsOnly.id)).status).toBe(429);
    const shutHere = await check(user.id, passwordsOnly.id);
    expect([shutHere.allowed, rule(shutHere, 'password').verdict]).toEqual([true, 'info']);
    expect(rule(shutHere, 'password').explanation).toMatch(
      /from one network address .* in \d+ (?:seconds|minutes)\. From elsewhere/,
    );
    const limits = service.nest.get(RateLimitsService, { strict: false });
    for (let hit = 0; hit < 50; hit++) await limits.tryConsumeOfUser('login_email', user.email, `198.51.100.${hit}`);
    const shut = await check(user.id, passwordsOnly.id);
    expect([shut.allowed, rule(shut, 'password').verdict]).toEqual([false, 'fail']);
    expect(rule(shut, 'password').explanation).toMatch(/in \d+ (?:seconds|minutes)/);
    const open = await check(user.id);
    expect([open.allowed, rule(open, 'password').verdict, rule(open, 'magic_link').verdict]).toEqual([
      true,
      'info',
      'pass',
    ]);
    await world.asAdmin('POST', `/admin/users/${user.id}/rate-limits/clear`);
    expect((await check(user.id, passwordsOnly.id)).allowed).toBe(true);
    expect((await world.login(user, passwordsOnly.id)).status).toBe(200);
  });

  it('shows that too many sign-in links were requested', async () => {
    const linksOnly = await world.app(tenant, { config: { allowed_providers: ['magic_link'] } });
    const user = await world.user(linksOnly);
    for (let asked = 0; asked < 3; asked++)
      await world.call('POST', '/auth/magic-link', { email: user.email, app_id: linksOnly.id });
    const here = await check(user.id, linksOnly.id);
    expect([here.allowed, rule(here, 'magic_link').verdict]).toEqual([true, 'info']);
    const limits = service.nest.get(RateLimitsService, { strict: false });
    for (let hit = 0; hit < 30; hit++) await limits.tryConsumeOfUser('magic_link', user.email, `198.51.100.${hit}`);
    const answer = await check(user.id, linksOnly.id);
    expect([answer.allowed, rule(answer, 'magic_link').verdict]).toEqual([false, 'fail']);
  });

  it('shows a missing password and an unverified email address', async () => {
    const passwordsOnly = await world.app(tenant, { config: { allowed_providers: ['password'] } });
    const user = await world.user(passwordsOnly, { password: null, email_verified: false });
    const answer = await check(user.id, passwordsOnly.id);
    expect([answer.allowed, rule(answer, 'password').explanation]).toEqual([false, 'The account has no password.']);
    expect(rule(answer, 'email_verified')).toMatchObject({
      verdict: 'info',
      explanation: expect.stringContaining('not verified'),
    });
  });

  it('agrees with the sign-in if a second factor is set up', async () => {
    const strict = await world.app(tenant, { config: { require_2fa: true } });
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: strict.id, roles: [] });
    expect(rule(await check(user.id, strict.id), 'second_factor_set_up').verdict).toBe('fail');
    expect((await world.login(user, strict.id)).status).toBe(403);
    const backupCodes = await setUpSecondFactor(user);
    expect((await check(user.id, strict.id)).allowed).toBe(true);
    expect(await throughSecondFactor(user, strict.id, backupCodes[0]!)).toBe(200);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1 AND app_id = $2`, [
      user.id,
      strict.id,
    ]);
    const pending = await check(user.id, strict.id);
    expect([pending.allowed, rule(pending, 'not_pending').verdict]).toEqual([false, 'fail']);
    // The sign-in reports the pending enrollment only after the code.
    expect(await throughSecondFactor(user, strict.id, backupCodes[1]!)).toBe(403);
  });

  async function setUpSecondFactor(user: TestUser): Promise<string[]> {
    const { access_token: token } = await world.tokens(user, app.id);
    const setup = await world.call<{ secret: string }>(
      'POST',
      '/account/totp/setup',
      { password: user.password },
      { token },
    );
    const code = codeAt(setup.body.secret);
    const confirmed = await world.call<{ backup_codes: string[] }>(
      'POST',
      '/account/totp/confirm',
      { code },
      { token },
    );
    expect(confirmed.status).toBe(200);
    return confirmed.body.backup_codes;
  }

  async function throughSecondFactor(user: TestUser, appId: string, code: string): Promise<number> {
    const login = (await world.login(user, appId)) as unknown as { body: { totp_session: string } };
    const { totp_session } = login.body;
    return (await world.call<Tokens>('POST', '/auth/totp/verify', { totp_session, code })).status;
  }

  it('agrees with the sign-in to Console apps for each kind of admin', async () => {
    const platformAdmin = await world.user(undefined, { is_platform_admin: true });
    const tenantAdmin = await world.tenantAdmin(tenant);
    const appAdmin = await world.user(app, { roles: ['admin'] });
    const member = await world.user(app);
    const foreign = await world.tenant();
    for (const user of [platformAdmin, tenantAdmin, appAdmin, member]) {
      for (const appId of [world.platformConsoleId, tenant.consoleAppId, foreign.consoleAppId]) {
        const { allowed } = await check(user.id, appId);
        expect([user.id, appId, allowed]).toEqual([user.id, appId, (await world.login(user, appId)).status === 200]);
      }
    }
    expect((await check(platformAdmin.id, foreign.consoleAppId)).allowed).toBe(true);
    expect((await check(appAdmin.id, world.platformConsoleId)).allowed).toBe(true);
    expect((await check(member.id, world.platformConsoleId)).allowed).toBe(false);
  });

  // security 76
  it('returns 404 for users and 403 for apps that the caller does not administer', async () => {
    const admin = await world.user(app, { roles: ['admin'] });
    const { access_token: token } = await world.tokens(admin, app.id);
    const stranger = await world.user(await world.app(await world.tenant()));
    const member = await world.user(app);
    const ask = async (id: string, appId: string) => {
      const path = `/admin/users/${id}/access-check?app_id=${appId}`;
      const answer = await world.call('GET', path, undefined, { token });
      return [answer.status, answer.body['detail']];
    };
    expect(await ask(member.id, app.id)).toEqual([200, undefined]);
    expect(await ask(stranger.id, app.id)).toEqual([404, 'User not found']);
    const sibling = await world.app(tenant);
    for (const appId of [sibling.id, tenant.consoleAppId, '00000000-0000-4000-8000-000000000000'])
      expect(await ask(member.id, appId)).toEqual([403, 'Insufficient permissions']);
  });
});
