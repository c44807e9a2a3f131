import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import * as rxjs from 'rxjs';
import * as operators from 'rxjs/operators';
import { onClientFixture } from '../../support/client-fixture.js';

const RXJS = '/lib/rxjs/dist/bundles/rxjs.umd.min.js';
const ANGULAR = '/lib/@angular';
const LIBRARIES = {
  'angular-oauth2-oidc': '/lib/angular-oauth2-oidc/fesm2022/angular-oauth2-oidc.mjs',
  '@angular/common': `${ANGULAR}/common/fesm2022/common.mjs`,
  '@angular/common/http': `${ANGULAR}/common/fesm2022/http.mjs`,
  '@angular/compiler': `${ANGULAR}/compiler/fesm2022/compiler.mjs`,
  '@angular/core': `${ANGULAR}/core/fesm2022/core.mjs`,
  '@angular/core/primitives/di': `${ANGULAR}/core/fesm2022/primitives/di.mjs`,
  '@angular/core/primitives/signals': `${ANGULAR}/core/fesm2022/primitives/signals.mjs`,
  '@angular/platform-browser': `${ANGULAR}/platform-browser/fesm2022/platform-browser.mjs`,
  rxjs: '/rxjs.js',
  'rxjs/operators': '/rxjs-operators.js',
  tslib: '/lib/tslib/tslib.es6.mjs',
};

/** An Angular app without components, with the first settings in the library's README. */
const head = (issuer: string, clientId: string) => `
  <script src="${RXJS}"></script>
  <script type="importmap">${JSON.stringify({ imports: LIBRARIES })}</script>
  <script type="module">
    import '@angular/compiler';
    import { provideZonelessChangeDetection } from '@angular/core';
    import { provideHttpClient } from '@angular/common/http';
    import { createApplication } from '@angular/platform-browser';
    import { OAuthService, provideOAuthClient } from 'angular-oauth2-oidc';
    const providers = [provideZonelessChangeDetection(), provideHttpClient(), provideOAuthClient()];
    const oauth = (await createApplication({ providers })).injector.get(OAuthService);
    oauth.configure({
      issuer: '${issuer}',
      clientId: '${clientId}',
      redirectUri: location.origin + '/',
      silentRefreshRedirectUri: location.origin + '/silent-refresh.html',
      responseType: 'code',
      scope: 'openid profile email offline_access',
      requireHttps: false,
    });
    await oauth.loadDiscoveryDocumentAndTryLogin();
    window.oauth = oauth;
  </script>`;

/** The page in the README that passes on the response received in a popup or a frame. */
const SILENT_REFRESH = `
  <script>
    (window.opener || window.parent).postMessage(location.hash || ('#' + location.search), location.origin);
  </script>`;

/** A public client without a secret, in a browser. */
describe('Client library angular-oauth2-oidc 20', () => {
  const fixture = onClientFixture(async (opened) => {
    const { app, issuer } = opened;
    const redirect_uris = ['/', '/silent-refresh.html'].map((path) => `${app.origin}${path}`);
    const { id } = await opened.register('/', '/', { client_type: 'public', redirect_uris });
    app.serveModules();
    app.serveGlobal('/rxjs.js', 'rxjs', rxjs);
    app.serveGlobal('/rxjs-operators.js', 'rxjs.operators', operators);
    app.page('/', head(issuer, id));
    app.page('/silent-refresh.html', SILENT_REFRESH);
  });

  const open = async (page = fixture.page) => {
    await page.goto(`${fixture.app.origin}/`);
    await ready(page);
  };
  const ready = (page = fixture.page) => page.waitForFunction('window.oauth');
  const ask = (script: string, page = fixture.page) => page.evaluate(`(async () => ${script})()`);
  const claims = (page = fixture.page) => ask('oauth.getIdentityClaims()', page);
  const arrived = async (page: Page) => {
    await page.waitForURL((url) => url.origin === fixture.app.origin);
    await ready(page);
  };
  const signIn = async () => {
    await open();
    await ask('void oauth.initLoginFlow()');
    await fixture.fillIn();
    await arrived(fixture.page);
  };

  it('signs in by redirect and reads the profile from the ID token', async () => {
    await signIn();
    const { id: sub, email } = fixture.user;
    expect(await claims()).toMatchObject({ sub, email, name: 'Ada Lovelace' });
  });

  it('signs in by popup', async () => {
    await open();
    const popping = fixture.page.waitForEvent('popup');
    const done = ask('await oauth.initLoginFlowInPopup().then(() => true)');
    const popup = await popping;
    await fixture.fillIn(popup);
    expect([await done, await claims()]).toEqual([true, expect.objectContaining({ sub: fixture.user.id })]);
  });

  it('refreshes repeatedly and reads the profile from /userinfo', async () => {
    await signIn();
    for (let time = 0; time < 3; time++) await ask('void (await oauth.refreshToken())');
    const { id: sub, email } = fixture.user;
    expect(await ask('(await oauth.loadUserProfile()).info')).toMatchObject({ sub, email });
    expect(await fixture.liveSignIns()).toBe(1);
  });

  it('signs in silently in a frame with the session from another tab', async () => {
    await signIn();
    const other = await fixture.context.newPage();
    await open(other);
    expect(await claims(other)).toBeNull();
    await ask('void (await oauth.silentRefresh())', other);
    expect(await claims(other)).toMatchObject({ sub: fixture.user.id });
  });

  it('signs out at the service too', async () => {
    await signIn();
    const left = fixture.page.waitForRequest((request) => request.url().startsWith(`${fixture.issuer}/logout`));
    await ask('void oauth.logOut()');
    await left;
    await arrived(fixture.page);
    expect(await claims()).toBeNull();
    await ask('void oauth.initLoginFlow()');
    await fixture.page.waitForSelector('#password');
  });
});
