import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

// security 88
describe('Hosted pages', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  const policyOf = ({ headers }: HostedAnswer): Map<string, string> =>
    new Map(
      headers
        .get('content-security-policy')!
        .split('; ')
        .map((directive): [string, string] => {
          const [name, ...sources] = directive.split(' ');
          return [name!, sources.join(' ')];
        }),
    );

  const everyPage = async (): Promise<[string, HostedAnswer][]> => {
    const user = await world.user();
    const open = await world.app(tenant, { registration_policy: 'open' });
    const browser = new HostedBrowser(service.baseUrl);
    const form = await browser.get(loginPath(app));
    return [
      ['sign in', form],
      ['sign in with errors', await browser.submit(form, { email: 'x', password: '' })],
      ['fault', await browser.get(loginPath({ id: app.id, redirectUri: 'https://evil.example/' }))],
      ['join', await browser.signIn(loginPath(open), user.email, user.password)],
      ['no access', await browser.get(loginPath(app))],
      ['expired', await new HostedBrowser(service.baseUrl).get(form.formAction().replace('/password', ''))],
      ['spent set-up link', await browser.get('/setup?token=x')],
      ['not found', await browser.get('/nowhere')],
    ];
  };

  it('carry a policy with their own nonce and no referrer, and are not cached', async () => {
    const nonces = new Set<string>();
    const pages = await everyPage();
    for (const [name, page] of pages) {
      const policy = policyOf(page);
      expect([name, policy.get('default-src')]).toEqual([name, "'none'"]);
      expect([name, policy.get('object-src')]).toEqual([name, "'none'"]);
      expect([name, policy.get('base-uri')]).toEqual([name, "'none'"]);
      expect([name, policy.get('frame-ancestors')]).toEqual([name, "'none'"]);
      expect([name, policy.get('script-src')]).toEqual([name, expect.stringMatching(/^'nonce-[\w+/]{22}=='$/)]);
      expect([name, policy.get('form-action')]).toEqual([name, expect.stringMatching(/^'self'( https:\/\/[\w.]+)?$/)]);
      expect([name, page.headers.get('referrer-policy')]).toEqual([name, 'no-referrer']);
      expect([name, page.headers.get('cache-control')]).toEqual([name, 'no-store']);
      expect([name, page.headers.get('x-content-type-options')]).toEqual([name, 'nosniff']);
      expect([name, page.headers.get('x-frame-options')]).toEqual([name, 'DENY']);
      nonces.add(policy.get('script-src')!);
    }
    expect(nonces.size).toBe(pages.length);
  });

  it('contain no script without the nonce, no handler and no inline style', async () => {
    for (const [name, page] of await everyPage()) {
      const nonce = /'nonce-([^']+)'/.exec(policyOf(page).get('script-src')!)![1]!;
      const tags = page.body.match(/<(?:script|style)\b[^>]*>/g)!;
      // Handlebars escapes `=`, and the browser reads it as it was.
      const escaped = nonce.replaceAll('=', '&#x3D;');
      expect([name, tags.filter((tag) => !tag.includes(`nonce="${escaped}"`))]).toEqual([name, []]);
      expect([name, page.body.match(/\s(?:on[a-z]+|style)=/g)]).toEqual([name, null]);
      expect([name, page.body.match(/\ssrc="https?:|<link[^>]+href="https?:/g)]).toEqual([name, null]);
    }
  });

  it('have one h1, a title, a language and a skip link', async () => {
    for (const [name, { body }] of await everyPage()) {
      expect([name, body.match(/<h1\b/g)]).toEqual([name, ['<h1']]);
      expect([name, body]).toEqual([name, expect.stringMatching(/<html lang="en">[^]*<title>[^<]{5,}<\/title>/)]);
      expect([name, body]).toEqual([name, expect.stringContaining('href="#main"')]);
    }
  });

  it('allow their form to lead only to the app’s origin or custom scheme', async () => {
    const nativeUri = `com.example.n${unique()}:/cb`;
    const native = await world.app(tenant, { config: { redirect_uris: [nativeUri, 'http://127.0.0.1:9/cb'] } });
    const browser = new HostedBrowser(service.baseUrl);
    const [web, device, loopback] = await Promise.all([
      browser.get(loginPath(app)),
      browser.get(loginPath({ ...native, redirectUri: nativeUri })),
      browser.get(loginPath({ ...native, redirectUri: 'http://127.0.0.1:51823/cb' })),
    ]);
    expect(policyOf(web).get('form-action')).toBe(`'self' ${new URL(app.redirectUri).origin}`);
    expect(policyOf(device).get('form-action')).toBe(`'self' ${nativeUri.split('/')[0]!}`);
    expect(policyOf(loopback).get('form-action')).toBe("'self' http://127.0.0.1:51823");
  });

  it('show names as text', async () => {
    const name = `<img src=x onerror=alert(1)> & "Söhne" ${unique()}`;
    const hostile = await world.app(await world.tenant({ name }), { name, registration_policy: 'open' });
    const user = await world.user();
    const browser = new HostedBrowser(service.baseUrl);
    const form = await browser.get(loginPath(hostile));
    const join = await browser.submit(form, { email: user.email, password: user.password });
    for (const page of [form, join]) {
      expect(page.body).toContain('&lt;img src&#x3D;x onerror&#x3D;alert(1)&gt; &amp; &quot;Söhne&quot;');
      expect(page.body).not.toContain('<img src=x');
    }
  });

  it('show field errors below their fields', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.submit(await browser.get(loginPath(app)), { email: 'not an address', password: '' });
    expect(page.status).toBe(422);
    expect(page.body).toContain('<title>Error: Sign in');
    expect(page.body).toContain('<span class="field-error">Enter a complete e-mail address.</span>');
    expect(page.body).toContain('<span class="field-error">Enter your password.</span>');
    expect(page.body.match(/aria-invalid="true"/g)).toHaveLength(2);
    expect(page.body).toContain('value="not an address"');
  });

  it('carry the address to “Forgot password?” and back, and show no error on the way', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    const login = await browser.get(loginPath(app));
    const email = `typed-${unique()}@example.com`;
    const begin = (step: string, typed: string) => {
      const action = new RegExp(`formaction="([^"]+/${step})"`).exec(login.body)![1]!;
      return browser.post(action, { form_token: login.formToken(), email: typed, password: 'half', begin: '1' });
    };
    const empty = [await begin('forgot', ''), await begin('magic_link', '')];
    for (const page of empty) expect([page.status, page.body.includes('field-error')]).toEqual([200, false]);
    const forgot = await begin('forgot', email);
    expect([forgot.status, forgot.body.includes(`value="${email}"`)]).toEqual([200, true]);
    const back = await browser.get(/<a href="(\/sign-in\/[^"]+)">Back/.exec(forgot.body)![1]!);
    expect(back.body).toContain(`value="${email}"`);
    expect(back.body).not.toContain('half');
    const sent = await begin('magic_link', email);
    expect([sent.status, sent.body.includes('Check your e-mail')]).toEqual([200, true]);
  });

  it('never fill in a password again', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    const password = `secret-${unique()}`;
    const page = await browser.submit(await browser.get(loginPath(app)), { email: 'a@example.com', password });
    expect([page.status, page.body.includes(password)]).toEqual([401, false]);
  });

  it('answer a wrong password and an unknown address with the same page', async () => {
    const user = await world.user(app);
    const passwordless = await world.user(app, { password: undefined });
    const strangers = [user.email, passwordless.email, `nobody-${unique()}@example.com`];
    const bodies = await Promise.all(
      strangers.map(async (email) => {
        const browser = new HostedBrowser(service.baseUrl);
        const page = await browser.submit(await browser.get(loginPath(app)), { email, password: 'not the password' });
        expect(page.status).toBe(401);
        return page.body
          .replaceAll(email, 'E-MAIL')
          .replaceAll(/nonce="[^"]+"|name="form_token" value="[^"]+"|\/sign-in\/[0-9a-f-]{36}/g, '');
      }),
    );
    expect(new Set(bodies).size).toBe(1);
  });

  it('show the waiting time after five wrong passwords, and reject the right one during it', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.get(loginPath(app));
    for (let i = 0; i < 5; i++) {
      expect((await browser.submit(page, { email: user.email, password: `wrong ${i}` })).status).toBe(401);
    }
    const limited = await browser.submit(page, { email: user.email, password: user.password });
    expect([limited.status, limited.location]).toEqual([429, null]);
    const seconds = Number(limited.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(840);
    expect(seconds).toBeLessThanOrEqual(900);
    expect(limited.body).toContain('Too many attempts. Wait 15 minutes, then try again.');
    expect(limited.body).toContain(`value="${user.email}"`);
    expect(limited.headers.getSetCookie().filter((line) => line.startsWith('sso='))).toEqual([]);
  });

  it('explain what to do if the browser keeps no cookies', async () => {
    const page = await new HostedBrowser(service.baseUrl).get(loginPath(app));
    const without = await new HostedBrowser(service.baseUrl).post(page.formAction(), { form_token: page.formToken() });
    expect(without.status).toBe(403);
    expect(without.body).toContain('Allow cookies for this site');
  });

  it('ask for a password only if the app allows one', async () => {
    const without = await world.app(tenant, { config: { allowed_providers: ['magic_link'] } });
    const user = await world.user(without);
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.get(loginPath(without));
    const forced = await browser.post(`/sign-in/${/sign-in\/([0-9a-f-]{36})/.exec(page.body)![1]!}/password`, {
      form_token: page.formToken(),
      email: user.email,
      password: user.password,
    });
    expect(forced.status).toBe(400);
    expect(forced.headers.getSetCookie().filter((line) => line.startsWith('sso='))).toEqual([]);
  });
});
