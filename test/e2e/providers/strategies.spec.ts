import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const REDIRECT = 'https://shop.example/cb';

// security 33, 35.
describe('Passport strategies of two applications in one process', () => {
  let peers: ScriptedOpenId[];
  let services: TestApp[];
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    peers = await Promise.all(['first', 'second'].map((id) => ScriptedOpenId.start(`${id}-client`)));
    services = [];
    for (const { settings } of peers) {
      const providers = { google: settings, microsoft: settings, github: null, apple: null };
      services.push(await startTestApp({ settings: { providers } }));
    }
    world = await World.open(services[0]!.baseUrl, services[0]!.settings.databaseUrl!);
    const config = { redirect_uris: [REDIRECT], allowed_providers: ['google', 'microsoft'] };
    app = {
      ...(await world.app(await world.tenant(), { registration_policy: 'open', config })),
      redirectUri: REDIRECT,
    };
  });

  afterAll(async () => {
    await world.close();
    for (const service of services) await service.close();
    await Promise.all(peers.map((peer) => peer.close()));
  });

  const started = async (index: number, provider: 'google' | 'microsoft', more: Record<string, string> = {}) => {
    const browser = new HostedBrowser(services[index]!.baseUrl);
    const { location } = await browser.get(startPath(provider, app, more));
    return { browser, address: new URL(location!) };
  };

  describe.each(['google', 'microsoft'] as const)('for %s', (provider) => {
    it('redirect browsers with their own application’s client id and callback', async () => {
      for (const index of [0, 1]) {
        const { address } = await started(index, provider);
        expect([
          address.origin,
          address.searchParams.get('client_id'),
          address.searchParams.get('redirect_uri'),
        ]).toEqual([
          peers[index]!.server.origin,
          peers[index]!.clientId,
          `${services[index]!.baseUrl}/oauth/${provider}/callback`,
        ]);
      }
    });

    it('redeem codes at their own application’s provider, also at the same time', async () => {
      const starts = await Promise.all([0, 1].map((index) => started(index, provider)));
      const before = peers.map((peer) => peer.server.to('/token').length);
      const answers = await Promise.all(
        starts.map(async ({ browser, address }, index) => {
          peers[index]!.user = providerUser();
          peers[index]!.nonce = address.searchParams.get('nonce')!;
          const callback = `/oauth/${provider}/callback?code=code&state=${address.searchParams.get('state')!}`;
          return follow(browser, await browser.get(callback));
        }),
      );
      expect(answers.map((answer) => answer.delivered.has('code'))).toEqual([true, true]);
      expect(peers.map((peer, index) => peer.server.to('/token').length - before[index]!)).toEqual([1, 1]);
    });
  });

  it.each(['google', 'microsoft'] as const)('do not redeem a code in the URL of the start for %s', async (provider) => {
    const calls = peers[0]!.server.to('/token').length;
    for (const more of [{ code: 'code' }, { error: 'access_denied' }, { error: 'server_error', code: 'code' }]) {
      const { address } = await started(0, provider, more as Record<string, string>);
      expect([address.pathname, address.searchParams.get('state')]).toEqual(['/authorize', expect.any(String)]);
    }
    expect(peers[0]!.server.to('/token')).toHaveLength(calls);
  });
});
