import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('Other parameters of /login', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  const ask = (parameters: Record<string, string>, rest = '') =>
    new HostedBrowser(service.baseUrl).get(loginPath(app, parameters) + rest);

  const expectRefused = async (parameters: Record<string, string>, error: string, rest = '') => {
    const answer = await ask({ state: 'kept', ...parameters }, rest);
    expect([parameters, answer.status, answer.location?.split('?')[0]]).toEqual([parameters, 302, app.redirectUri]);
    expect(answer.delivered.get('error')).toBe(error);
    expect(answer.delivered.get('state')).toBe('kept');
    expect(answer.delivered.has('code')).toBe(false);
    expect(answer.delivered.get('error_description')).toBeTruthy();
    expect(answer.headers.get('set-cookie')).toBeNull();
  };

  it.each([
    ['no method', { code_challenge: CHALLENGE }],
    ['plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }],
    ['s256', { code_challenge: CHALLENGE, code_challenge_method: 's256' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
    ['42 characters', { code_challenge: CHALLENGE.slice(1), code_challenge_method: 'S256' }],
    ['44 characters', { code_challenge: `${CHALLENGE}A`, code_challenge_method: 'S256' }],
    ['padding', { code_challenge: `${CHALLENGE.slice(1)}=`, code_challenge_method: 'S256' }],
    ['base64 with +', { code_challenge: CHALLENGE.replace('-', '+'), code_challenge_method: 'S256' }],
    ['a newline at its end', { code_challenge: `${CHALLENGE}\n`, code_challenge_method: 'S256' }],
  ])('return invalid_request to the app for a challenge with %s', (_what, parameters) =>
    expectRefused(parameters as Record<string, string>, 'invalid_request'),
  );

  it('accept a challenge of 43 base64url characters with S256', async () => {
    expect((await ask({ code_challenge: CHALLENGE, code_challenge_method: 'S256' })).status).toBe(200);
  });

  it.each([
    'code_challenge',
    'code_challenge_method',
    'device_id',
    'prompt',
    'response_type',
    'scope',
    'nonce',
    'max_age',
  ])('return invalid_request to the app for a repeated %s', (name) =>
    expectRefused({ [name]: 'login' }, 'invalid_request', `&${name}=login`),
  );

  it('return no state if state is repeated', async () => {
    const answer = await ask({ state: 'one' }, '&state=two');
    expect(answer.delivered.get('error')).toBe('invalid_request');
    expect(answer.delivered.has('state')).toBe(false);
  });

  it.each([
    ['state', 8192, ''],
    ['device_id', 256, ''],
    ['scope', 1024, 'openid '],
    ['nonce', 512, ''],
  ])('accept %s up to %i characters', async (name, limit, first) => {
    expect((await ask({ [name]: first.padEnd(limit, 'x') })).status).toBe(200);
    const longer = await ask({ [name]: first.padEnd(limit + 1, 'x') });
    expect([longer.status, longer.delivered.get('error')]).toEqual([302, 'invalid_request']);
  });

  it.each([
    ['another response_type', { response_type: 'unknown' }, 'unsupported_response_type'],
    [
      'the implicit flow, if it asks for the query',
      { response_type: 'code id_token', response_mode: 'query' },
      'unsupported_response_type',
    ],
    ['an unknown response_mode', { response_mode: 'web_message' }, 'invalid_request'],
    ['scopes of which none exists for a user', { scope: 'push:send x' }, 'invalid_scope'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
    ['a negative max_age', { max_age: '-1' }, 'invalid_request'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request by address', { request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
  ])('return an error to the app for %s', (_what, parameters, error) =>
    expectRefused(parameters as Record<string, string>, error),
  );

  it('require response_type in OpenID Connect, and return the issuer', async () => {
    const parameters = new URLSearchParams({ client_id: app.id, redirect_uri: app.redirectUri });
    const answer = await new HostedBrowser(service.baseUrl).get(`/login?${parameters.toString()}`);
    expect(answer.delivered.get('error')).toBe('invalid_request');
    expect(answer.delivered.get('iss')).toBe(service.baseUrl);
  });

  it('treat an empty state as none (RFC 6749 section 3.1)', async () => {
    const { delivered } = await ask({ state: '', prompt: 'none' });
    expect([...delivered.keys()]).toEqual(['error']);
  });

  it('may include unknown ones, which are ignored', async () => {
    expect((await ask({ utm_source: 'mail', ui_locales: 'de' }, '&x[]=1&x[]=2')).status).toBe(200);
  });

  describe('ui_locales', () => {
    it('chooses the language of the pages, from the first to the one after a wrong password', async () => {
      const browser = new HostedBrowser(service.baseUrl);
      const page = await browser.get(loginPath(app, { ui_locales: 'se en-XA' }), { 'Accept-Language': 'en' });
      const again = await browser.submit(page, { email: 'nobody@example.com', password: 'wrong password' });
      for (const { body, headers } of [page, again]) {
        expect(body).toContain('<html lang="en-XA">');
        expect(headers.get('content-language')).toBe('en-XA');
      }
      expect(again.body).toContain('[Îñçöŕŕéçţ é-ɱåîļ åððŕéšš öŕ þåššŵöŕð. Ţŕý åĝåîñ.]');
    });

    it('chooses the language of the error page for a wrong app_id, but not of the JSON', async () => {
      const address = '/login?app_id=unknown&ui_locales=en-XA';
      const page = await new HostedBrowser(service.baseUrl).get(address);
      expect(page.body).toContain('<html lang="en-XA">');
      const { body } = await world.call('GET', address);
      expect(body).toMatchObject({ detail: 'Invalid app_id', error: 'invalid_request' });
    });

    it('has priority over Accept-Language, which has priority over English', async () => {
      const accepted = { 'Accept-Language': 'fr;q=0.9, en-XA;q=0.8' };
      const page = (more: Record<string, string>, headers: Record<string, string>) =>
        new HostedBrowser(service.baseUrl).get(loginPath(app, more), headers);
      const answers = [await page({}, accepted), await page({ ui_locales: 'en' }, accepted), await page({}, {})];
      expect(answers.map(({ headers }) => headers.get('content-language'))).toEqual(['en-XA', 'en', 'en']);
      expect(answers[0]!.headers.get('vary')).toContain('Accept-Language');
    });

    it('is kept by a POST request, which is repeated as a GET', async () => {
      const browser = new HostedBrowser(service.baseUrl);
      const fields = { app_id: app.id, redirect_uri: app.redirectUri, ui_locales: 'en-XA' };
      const asked = await browser.post('/login', fields, { 'Sec-Fetch-Site': 'cross-site' });
      expect(asked.location).toContain('ui_locales=en-XA');
    });

    it('returns invalid_request if it is repeated', () =>
      expectRefused({ ui_locales: 'en' }, 'invalid_request', '&ui_locales=de'));
  });

  it.each([
    ['letters of many scripts', 'Grüße 世界 🦊 \u200f'],
    ['reserved characters', `a&b=c%25d+e f#g?h/i;j,k"l'm<n>o\\p`],
    ['percent signs that encode nothing', '100%zz%'],
    ['JSON', '{"next":"/a?b=c&d","n":[1,2]}'],
    ['line breaks', 'one\r\ntwo\ttab'],
    ['blanks at both ends', '  x  '],
  ])('return a state of %s byte for byte', async (_what, state) => {
    const user = await world.user(app);
    const sent = await new HostedBrowser(service.baseUrl).signIn(loginPath(app, { state }), user.email, user.password);
    const raw = /[?&]state=([^&]*)/.exec(sent.location!)?.[1];
    expect(decodeURIComponent(raw!)).toBe(state);
    expect(sent.location).not.toMatch(/[+\s]|[^\x21-\x7e]/);
  });

  it('return no state if the request has none', async () => {
    const user = await world.user(app);
    const sent = await new HostedBrowser(service.baseUrl).signIn(loginPath(app), user.email, user.password);
    expect([...sent.delivered.keys()]).toEqual(['code']);
  });

  it('include login_hint, which fills in the field escaped', async () => {
    const { body } = await ask({ login_hint: `ada"><script>x</script>@example.com` });
    expect(body).toContain('value="ada&quot;&gt;&lt;script&gt;x&lt;/script&gt;@example.com"');
  });
});
