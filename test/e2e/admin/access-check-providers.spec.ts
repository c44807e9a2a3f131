import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { follow, startPath } from '../../support/provider-trip.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

type Provider = 'google' | 'microsoft';

describe('The access check of an app that takes external providers alone', () => {
  let peer: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    peer = await ScriptedOpenId.start();
    const providers = { google: peer.settings, microsoft: peer.settings, github: null, apple: null };
    service = await startTestApp({ settings: { providers } });
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

  /** As anyone who is signed in at the provider. */
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
    ['whose account is linked', 'google', true, false, [true, 'pass']],
    ['whose address both sides have proven', 'google', false, true, [true, 'info']],
    ['whose address nobody has proven here', 'google', false, false, [false, 'fail']],
    ['whom a provider names that proves no address', 'microsoft', false, true, [false, 'fail']],
    ['linked at a provider that proves no address', 'microsoft', true, true, [true, 'pass']],
  ])('agrees with sign-in for a user %s', async (_, provider, linked, verified, verdict) => {
    const at = await world.app(tenant, { config: { allowed_providers: [provider] } });
    const { id, email } = await world.person(at, { email_verified: verified });
    const sub = `sub-${unique()}`;
    peer.person = { sub, email, email_verified: true, name: 'Ada Lovelace' };
    if (linked)
      await world.sql(
        `INSERT INTO linked_accounts (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, $2, $3)`,
        // Microsoft's subject is told apart by its directory.
        [id, provider, sub],
      );
    expect(await check(id, at.id, provider)).toEqual(verdict);
    expect(await enters(provider, at)).toBe(verdict[0]);
  });

  it('knows that this service is not set up for a provider', async () => {
    const at = await world.app(tenant, { config: { allowed_providers: ['github'] } });
    const { id } = await world.person(at);
    expect(await check(id, at.id, 'github')).toEqual([false, 'fail']);
    expect((await fetch(`${world.baseUrl}${startPath('google', app)}`, { redirect: 'manual' })).status).toBe(302);
    const refused = await fetch(`${world.baseUrl}/oauth/github/start?app_id=${at.id}`, { redirect: 'manual' });
    expect(refused.status).toBe(404);
  });
});
