import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import oidc from 'express-openid-connect';
import { onClientFixture } from '../../support/client-fixture.js';

/** As in its examples with tokens: `/login`, `/callback` and `/logout` are routes of the library. */
describe('Client library express-openid-connect 3', () => {
  const fixture = onClientFixture(async (opened) => {
    const client = await opened.register('/callback', '');
    const { express, origin } = opened.app;
    express.use(
      oidc.auth({
        issuerBaseURL: opened.issuer,
        baseURL: origin,
        clientID: client.id,
        clientSecret: client.secret,
        secret: randomBytes(32).toString('hex'),
        authRequired: false,
        idpLogout: true,
        authorizationParams: { response_type: 'code', scope: 'openid profile email offline_access' },
      }),
    );
    express.get('/', (request, response) => {
      response.json({ signedIn: request.oidc.isAuthenticated(), ...request.oidc.user });
    });
    express.get('/profile', oidc.requiresAuth(), async (request, response) => {
      response.json(await request.oidc.fetchUserInfo());
    });
    express.get('/refresh', oidc.requiresAuth(), async (request, response) => {
      const { access_token } = await request.oidc.accessToken!.refresh();
      const headers = { Authorization: `Bearer ${access_token}` };
      response.json(await (await fetch(`${opened.issuer}/userinfo`, { headers })).json());
    });
  });
  const open = (path: string) => fixture.page.goto(`${fixture.app.origin}${path}`);
  const signIn = async () => {
    await open('/login');
    await fixture.fillIn();
    await fixture.page.waitForURL(`${fixture.app.origin}/`);
  };

  it('signs in and reads the profile from the ID token', async () => {
    await signIn();
    const { id: sub, email } = fixture.user;
    expect(await fixture.json()).toMatchObject({
      signedIn: true,
      sub,
      email,
      email_verified: true,
      name: 'Ada Lovelace',
    });
  });

  it('redirects from a protected page to the hosted sign-in and back to it', async () => {
    await open('/profile');
    await fixture.fillIn();
    await fixture.page.waitForURL(`${fixture.app.origin}/profile`);
    expect(await fixture.json()).toMatchObject({ sub: fixture.user.id, email: fixture.user.email });
  });

  it('refreshes repeatedly', async () => {
    await signIn();
    for (let time = 0; time < 3; time++) await open('/refresh');
    expect(await fixture.json()).toMatchObject({ sub: fixture.user.id });
  });

  it('signs out at the service too', async () => {
    await signIn();
    await open('/logout');
    expect([fixture.page.url(), await fixture.json()]).toEqual([`${fixture.app.origin}/`, { signedIn: false }]);
    await open('/login');
    expect(await fixture.page.locator('#password').isVisible()).toBe(true);
  });
});
