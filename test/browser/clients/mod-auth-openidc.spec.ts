import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Apache, type ApacheSite } from '../../support/apache.js';
import { type ClientFixture, onClientFixture } from '../../support/client-fixture.js';
import { freePort } from '../../support/free-port.js';
import { eventually } from '../../support/wait.js';
import type { TestClient, TestTenant } from '../../support/world.js';

const CALLBACK = '/secure/redirect_uri';
const PARALLEL = 6;
const SETTINGS = ['quickstart', 'client_secret_basic', 'client_secret_post', 'none'];

/** How each site differs from the quickstart "with a generic OpenID Connect Provider". */
const SITES: Readonly<Record<string, readonly string[]>> = {
  quickstart: [],
  client_secret_basic: ['OIDCProviderTokenEndpointAuth client_secret_basic'],
  client_secret_post: ['OIDCProviderTokenEndpointAuth client_secret_post'],
  none: ['OIDCProviderTokenEndpointAuth none', 'OIDCPKCEMethod S256'],
  form_post: ['OIDCResponseMode form_post', 'OIDCPKCEMethod S256'],
  // With a lifetime of 15 minutes the access token is refreshed at every request.
  refreshing: ['OIDCRefreshAccessTokenBeforeExpiry 900'],
};

interface Info {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly userinfo: Record<string, unknown>;
}

describe('Apache module mod_auth_openidc of Debian', () => {
  let apache: Apache;
  const clients = new Map<string, TestClient>();
  const fixture = onClientFixture(
    async (opened) => {
      const tenant = await opened.world.tenant();
      const sites = await Promise.all(Object.keys(SITES).map((name) => site(opened, tenant, name)));
      opened.client = clients.get('quickstart')!;
      apache = await Apache.start(sites);
    },
    { ownDatabase: true, allowPrivateNetworkTargets: true },
  );
  afterAll(() => apache.stop());

  const site = async ({ world, issuer }: ClientFixture, tenant: TestTenant, name: string): Promise<ApacheSite> => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const redirectUri = `${origin}${CALLBACK}`;
    const made = await world.app(tenant, {
      config: {
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [`${origin}/`],
        backchannel_logout_uri: `${redirectUri}?logout=backchannel`,
        client_type: name === 'none' ? 'public' : null,
        refresh_grace_seconds: 10,
      },
    });
    clients.set(name, { ...made, redirectUri });
    const directives = [
      `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
      `OIDCClientID ${made.id}`,
      ...(name === 'none' ? [] : [`OIDCClientSecret ${made.secret}`]),
      `OIDCRedirectURI ${redirectUri}`,
      `OIDCCryptoPassphrase ${randomBytes(16).toString('hex')}`,
      'OIDCScope "openid profile email"',
      'OIDCInfoHook userinfo access_token refresh_token',
      ...SITES[name]!,
    ];
    return { port, directives };
  };

  const originOf = (name: string) => new URL(clients.get(name)!.redirectUri).origin;
  const open = (name: string) => fixture.page.goto(`${originOf(name)}/secure/app`);
  const signIn = async (name: string) => {
    fixture.user = await fixture.world.user(clients.get(name));
    await open(name);
    await fixture.fillIn();
    await fixture.page.waitForURL(`${originOf(name)}/secure/app`);
  };
  /** The session data that the module returns. */
  const info = async (name: string) => {
    const answer = await fixture.context.request.get(`${originOf(name)}${CALLBACK}?info=json`);
    return answer.ok() ? ((await answer.json()) as Info) : null;
  };

  it.each(SETTINGS)('signs in with the settings %s', async (name) => {
    await signIn(name);
    const { id: sub, email } = fixture.user;
    expect((await info(name))?.userinfo).toMatchObject({ sub, email, name: 'Ada Lovelace' });
  });

  it('sends the authorization request with S256 and receives the response by form_post', async () => {
    const asked = fixture.page.waitForRequest((request) => request.url().startsWith(`${fixture.issuer}/login?`));
    const posted = fixture.page.waitForRequest((request) => request.url() === clients.get('form_post')!.redirectUri);
    await signIn('form_post');
    expect(Object.fromEntries(new URL((await asked).url()).searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      response_mode: 'form_post',
    });
    expect((await posted).method()).toBe('POST');
  });

  it('refreshes in six parallel requests repeatedly and keeps the sign-in', async () => {
    await signIn('refreshing');
    const held = new Set<string>();
    for (let time = 0; time < 3; time++) {
      const pictures = Array.from({ length: PARALLEL }, () =>
        fixture.context.request.get(`${originOf('refreshing')}/secure/app`, { maxRedirects: 0 }),
      );
      expect((await Promise.all(pictures)).map((answer) => answer.status())).toEqual(Array(PARALLEL).fill(200));
      held.add((await info('refreshing'))!.access_token);
    }
    expect([held.size, await fixture.liveSignIns(), apache.log()]).toEqual([
      3,
      1,
      expect.not.stringContaining('could not be refreshed'),
    ]);
  });

  it('signs out at the service too', async () => {
    await signIn('quickstart');
    const goodbye = `${originOf('quickstart')}/`;
    await fixture.page.goto(`${originOf('quickstart')}${CALLBACK}?logout=${encodeURIComponent(goodbye)}`);
    expect([fixture.page.url(), await info('quickstart')]).toEqual([goodbye, null]);
    await open('quickstart');
    await fixture.page.waitForSelector('#password');
  });

  it('ends its session after a back-channel logout', async () => {
    await signIn('quickstart');
    expect(await info('quickstart')).not.toBeNull();
    await fixture.page.goto(`${fixture.issuer}/logout?client_id=${clients.get('quickstart')!.id}`);
    await fixture.page.click('button.wide');
    await eventually('the session of Apache to end', async () => (await info('quickstart')) === null);
  });
});
