import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { onClientFixture } from '../../support/client-fixture.js';

const LIBRARIES = {
  'oidc-client-ts': '/lib/oidc-client-ts/dist/esm/oidc-client-ts.js',
  'jwt-decode': '/lib/jwt-decode/build/esm/index.js',
};

/** The default lifetime of an access token. */
const LIFETIME_SECONDS = 15 * 60;

/** A page of the app, with the first settings in the library's documentation. */
const head = (authority: string, client_id: string) => `
  <script type="importmap">${JSON.stringify({ imports: LIBRARIES })}</script>
  <script type="module">
    import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
    const settings = {
      authority: '${authority}',
      client_id: '${client_id}',
      redirect_uri: location.origin + '/callback',
      post_logout_redirect_uri: location.origin + '/',
      scope: 'openid profile email',
    };
    // As documented for tokens that all tabs share.
    if (window.shared) settings.userStore = new WebStorageStateStore({ store: window.localStorage });
    Object.assign(settings, window.more);
    const manager = new UserManager(settings);
    manager.events.addUserLoaded(() => (window.loaded = (window.loaded ?? 0) + 1));
    if (location.pathname === '/callback') {
      const user = await manager.signinCallback().catch((error) => void (document.title = error.message));
      if (user) location.replace('/');
    }
    window.manager = manager;
  </script>`;

/** A public client without a secret, in a browser. */
describe('Client library oidc-client-ts 3', () => {
  const fixture = onClientFixture(async (opened) => {
    const { id } = await opened.register('/callback', '/', {
      client_type: 'public',
      refresh_grace_seconds: 10,
    });
    opened.app.serveModules();
    for (const path of ['/', '/callback']) opened.app.page(path, head(opened.issuer, id));
  });

  const open = async (page = fixture.page) => {
    await page.goto(`${fixture.app.origin}/`);
    await ready(page);
  };
  const ready = (page: Page) => page.waitForFunction('window.manager');
  const ask = (script: string, page = fixture.page) => page.evaluate(`(async () => ${script})()`);
  const signedIn = async (page = fixture.page) => {
    await page.waitForURL((url) => url.origin === fixture.app.origin && url.pathname === '/');
    await ready(page);
  };
  const subject = (page = fixture.page) => ask('(await manager.getUser())?.profile.sub', page);
  const signIn = async () => {
    await open();
    await ask('void manager.signinRedirect()');
    await fixture.fillIn();
    await signedIn();
  };

  it('signs in by redirect and reads the profile from the ID token', async () => {
    await signIn();
    const { id: sub, email } = fixture.user;
    expect(await ask('(await manager.getUser()).profile')).toMatchObject({ sub, email, name: 'Ada Lovelace' });
  });

  it('signs in by popup', async () => {
    await open();
    const opened = fixture.page.waitForEvent('popup');
    const answer = ask('(await manager.signinPopup()).profile.sub');
    const popup = await opened;
    await fixture.fillIn(popup);
    expect(await answer).toBe(fixture.user.id);
    expect(popup.isClosed()).toBe(true);
  });

  it('renews silently with its refresh token before the access token expires', async () => {
    const more = { accessTokenExpiringNotificationTimeInSeconds: LIFETIME_SECONDS - 1 };
    await fixture.context.addInitScript(`window.more = ${JSON.stringify(more)}`);
    await signIn();
    await fixture.page.waitForFunction('window.loaded > 0');
    expect([await subject(), await fixture.liveSignIns()]).toEqual([fixture.user.id, 1]);
  });

  it('signs in silently in a frame with the session from another tab', async () => {
    await signIn();
    const other = await fixture.context.newPage();
    await open(other);
    expect(await subject(other)).toBeUndefined();
    expect(await ask('(await manager.signinSilent()).profile.sub', other)).toBe(fixture.user.id);
  });

  it('gets login_required in a frame without a session', async () => {
    await open();
    expect(await ask('await manager.signinSilent().catch(({ error }) => error)')).toBe('login_required');
  });

  it('signs in in two tabs that have the sign-in page open at the same time', async () => {
    const other = await fixture.context.newPage();
    const tabs = [fixture.page, other];
    for (const tab of tabs) {
      await open(tab);
      await ask('void manager.signinRedirect()', tab);
      await tab.waitForSelector('#password');
    }
    for (const tab of tabs) {
      await fixture.fillIn(tab);
      await signedIn(tab);
    }
    expect([await subject(), await subject(other)]).toEqual([fixture.user.id, fixture.user.id]);
  });

  it('renews one token in two tabs at the same time, repeatedly', async () => {
    await fixture.context.addInitScript('window.shared = true');
    await signIn();
    const other = await fixture.context.newPage();
    await open(other);
    for (let time = 0; time < 3; time++) {
      const renewed = [fixture.page, other].map((tab) => ask('(await manager.signinSilent()).profile.sub', tab));
      expect(await Promise.all(renewed)).toEqual([fixture.user.id, fixture.user.id]);
    }
    expect(await fixture.liveSignIns()).toBe(1);
  });

  it('signs out at the service too', async () => {
    await signIn();
    const left = fixture.page.waitForRequest((request) => request.url().startsWith(`${fixture.issuer}/logout`));
    await ask('void manager.signoutRedirect()');
    await left;
    await fixture.page.waitForURL(`${fixture.app.origin}/`);
    await ready(fixture.page);
    expect(await subject()).toBeUndefined();
    await ask('void manager.signinRedirect()');
    await fixture.page.waitForSelector('#password');
  });
});
