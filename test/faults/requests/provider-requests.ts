import { visitAccount } from '../../support/account-visitor.js';
import type { AuthzFixture } from '../../support/authz-fixture.js';
import { type HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { providerUser, startPath } from '../../support/provider-sign-in.js';
import type { ScriptedOpenId } from '../../support/scripted-openid.js';
import type { TestClient } from '../../support/world.js';
import { follow, formOn, type Preparation, type WriteRequest } from './write-request.js';

function appWithGoogle({ world, tenant }: AuthzFixture, policy: string): Promise<TestClient> {
  return world.app(tenant, {
    registration_policy: policy,
    config: { allowed_providers: ['password', 'google'] },
  });
}

/** Sign-ins with an external provider that says what `google` is told to say. */
export function providerRequests(google: ScriptedOpenId): Readonly<Record<string, Preparation>> {
  /** To the provider and back, as far as our callback. */
  async function callback(browser: HostedBrowser, path: string): Promise<WriteRequest> {
    return back(browser, await browser.get(path, { 'Sec-Fetch-Site': 'same-origin' }));
  }

  function back(browser: HostedBrowser, { location }: HostedAnswer): WriteRequest {
    const sent = new URL(location!).searchParams;
    google.nonce = sent.get('nonce') ?? '';
    return follow(browser, `/oauth/google/callback?code=code&state=${sent.get('state')}`);
  }

  return {
    'GET /oauth/google/start': async (fixture) => {
      const app = await appWithGoogle(fixture, 'open');
      return follow(new HostedBrowser(fixture.world.baseUrl), startPath('google', app));
    },
    'GET /oauth/google/callback, new account': async (fixture) => {
      google.user = providerUser();
      const app = await appWithGoogle(fixture, 'open');
      return callback(new HostedBrowser(fixture.world.baseUrl), startPath('google', app));
    },
    'GET /oauth/google/callback, account with this address': async (fixture) => {
      const app = await appWithGoogle(fixture, 'open');
      const { email } = await fixture.world.user(app, { email_verified: true });
      google.user = providerUser({ email });
      return callback(new HostedBrowser(fixture.world.baseUrl), startPath('google', app));
    },
    'GET /oauth/google/callback, link': async (fixture) => {
      google.user = providerUser();
      const browser = await visitAccount(fixture.world, await fixture.world.user(fixture.app));
      return back(browser, await browser.startLinking('google'));
    },
    'POST /oauth/google/link': async (fixture) => {
      const browser = await visitAccount(fixture.world, await fixture.world.user(fixture.app));
      const page = await browser.get('/oauth/google/start?link=1', { 'Sec-Fetch-Site': 'cross-site' });
      return formOn(browser, page, page.formAction());
    },
    'POST /oauth/invite': async (fixture) => {
      google.user = providerUser();
      const app = await appWithGoogle(fixture, 'invite');
      const { code } = await newInvite(fixture.world, app);
      const browser = new HostedBrowser(fixture.world.baseUrl);
      const { path } = await callback(browser, startPath('google', app));
      const page = await browser.get((await browser.get(path)).location!);
      return formOn(browser, page, page.formAction(), { display_name: 'Grace', code });
    },
  };
}
