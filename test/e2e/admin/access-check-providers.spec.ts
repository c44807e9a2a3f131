import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { follow, startPath } from '../../support/provider-sign-in.js';
import { passkeySettings } from '../../support/passkeys.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

type Provider = 'google' | 'microsoft';

describe('Access check of an app with external providers only', () => {
  let peer: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    peer = await ScriptedOpenId.start();
    const providers = { google: peer.settings, microsoft: peer.settings, github: null, apple: null };
    service = await startTestApp({ settings: { providers, ...(await passkeySettings()) } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { allowed_providers: ['google'] } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await peer.close();
  });

  const check = async (userId: string, appId: string, name: string) => {
    const answer = await world.asAdmin<{ allowed: boolean; rules: { rule: string; verdict: string }[] }>(
      'GET',
      `/admin/users/${userId}/access-check?app_id=${appId}`,
    );
    return [answer.allowed, answer.rules.find(({ rule }) => rule === name)!.verdict];
  };

  /** Signs in as the user who is signed in at the provider. */
  const enters = async (provider: Provider, at: TestClient): Promise<boolean> => {
    const browser = new HostedBrowser(world.baseUrl);
    const { location } = await browser.get(startPath(provider, at));
    const sent = new URL(location!).searchParams;
    peer.nonce = sent.get('nonce')!;
    const back = new URLSearchParams({ code: 'code', state: sent.get('state')! });
    const answer = await follow(browser, await browser.get(`/oauth/${provider}/callback?${back.toString()}`));
    return answer.location?.startsWith(`${at.redirectUri}?code=`) === true;
  };

  it.each<[string, Provider, boolean, boolean, [boolean, string]]>([
    ['with a linked account', 'google', true, false, [true, 'pass']],
    ['whose email address is verified on both sides', 'google', false, true, [true, 'info']],
    ['whose email address is not verified in this service', 'google', false, false, [false, 'fail']],
    ['of a provider that does not verify email addresses', 'microsoft', false, true, [false, 'fail']],
    [
      'with a linked account at a provider that does not verify email addresses',
      'microsoft',
      true,
      true,
      [true, 'pass'],
    ],
  ])('agrees with the sign-in for a user %s', async (_, provider, linked, verified, verdict) => {
    const at = await world.app(tenant, { config: { allowed_providers: [provider] } });
    const { id, email } = await world.user(at, { email_verified: verified });
    const sub = `sub-${unique()}`;
    peer.user = { sub, email, email_verified: true, name: 'Ada Lovelace' };
    if (linked)
      await world.sql(
        `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, $2, $3)`,
        // The subject is the claim `sub` at both providers.
        [id, provider, sub],
      );
    expect(await check(id, at.id, provider)).toEqual(verdict);
    expect(await enters(provider, at)).toBe(verdict[0]);
  });

  it('tells an admin of the app nothing of accounts and passkeys that a user has not used there, as a preview does', async () => {
    const at = await world.app(tenant, { config: { allowed_providers: ['microsoft', 'passkey'], require_2fa: true } });
    const [linked, plain] = [await world.user(at), await world.user(at)];
    const admin = await world.user(undefined, {});
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user,admin}', 'active')`,
      [admin.id, tenant.consoleAppId],
    );
    const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
    await world.sql(
      `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'microsoft', $2)`,
      [linked.id, unique()],
    );
    await world.sql(
      `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
       VALUES (gen_random_uuid(), $1, 'localhost', '\\x01', '\\x00', 0, gen_random_uuid(), '{}', false, false)`,
      [linked.id],
    );
    const rulesBy = async (by: string, { id }: { id: string }) => {
      const path = `/admin/users/${id}/access-check?app_id=${at.id}`;
      const { body } = await world.call<{ rules: { rule: string; verdict: string }[] }>('GET', path, undefined, {
        token: by,
      });
      return body.rules;
    };
    const verdict = (rules: { rule: string; verdict: string }[], name: string) =>
      rules.find(({ rule }) => rule === name)?.verdict;
    const shown = await rulesBy(token, linked);
    expect(shown).toEqual(await rulesBy(token, plain));
    expect(['microsoft', 'passkey'].map((name) => verdict(shown, name))).toEqual(['info', 'info']);
    const whole = await rulesBy(world.admin.token, linked);
    expect(['microsoft', 'passkey', 'second_factor_set_up'].map((name) => verdict(whole, name))).toEqual([
      'pass',
      'pass',
      'pass',
    ]);
  });

  it('shows that a provider is not configured in this service', async () => {
    const at = await world.app(tenant, { config: { allowed_providers: ['github'] } });
    const { id } = await world.user(at);
    expect(await check(id, at.id, 'github')).toEqual([false, 'fail']);
    expect((await fetch(`${world.baseUrl}${startPath('google', app)}`, { redirect: 'manual' })).status).toBe(302);
    const refused = await fetch(`${world.baseUrl}/oauth/github/start?app_id=${at.id}`, { redirect: 'manual' });
    expect(refused.status).toBe(404);
  });
});
