import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { authorizationPath, redeem } from '../../support/openid-sign-in.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('response_mode', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const browser = () => new HostedBrowser(service.baseUrl);
  const path = (response_mode: string, more: Record<string, string> = {}) =>
    authorizationPath(app, { response_mode, state: 'a "b" & c', ...more });
  /** The hidden fields of the page that posts itself. */
  const posted = ({ body }: HostedAnswer) =>
    Object.fromEntries(
      [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
        name,
        value!.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#x3D;', '='),
      ]),
    );
  const expectForm = (answer: HostedAnswer) => {
    expect([answer.status, answer.location, answer.formAction()]).toEqual([200, null, app.redirectUri]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).not.toContain('form-action');
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy!)![1]!;
    expect(answer.body).toContain(`<script nonce="${nonce.replaceAll('=', '&#x3D;')}">`);
    expect(answer.body).toContain('<button class="wide" type="submit">Continue</button>');
    return posted(answer);
  };

  it('fragment puts the code after #, and nothing into the query', async () => {
    const { location } = await browser().signIn(path('fragment'), user.email, user.password);
    const [target, fragment] = location!.split('#');
    expect(target).toBe(app.redirectUri);
    const told = new URLSearchParams(fragment);
    expect([told.get('state'), told.get('iss')]).toEqual(['a "b" & c', service.baseUrl]);
    expect((await redeem(world, app, told.get('code')!)).status).toBe(200);
  });

  it('form_post returns a page that posts the code to the app only', async () => {
    const told = expectForm(await browser().signIn(path('form_post'), user.email, user.password));
    expect(told).toEqual({ code: expect.any(String), state: 'a "b" & c', iss: service.baseUrl });
    expect((await redeem(world, app, told['code']!)).status).toBe(200);
  });

  it('form_post and fragment apply to errors as well', async () => {
    const refused = { error: 'login_required', state: 'a "b" & c', iss: service.baseUrl };
    expect(expectForm(await browser().get(path('form_post', { prompt: 'none' })))).toEqual(refused);
    const { location } = await browser().get(path('fragment', { prompt: 'none' }));
    expect(Object.fromEntries(new URLSearchParams(location!.split('#')[1]))).toEqual(refused);
    const fault = expectForm(await browser().get(path('form_post', { max_age: 'soon' })));
    expect(fault).toMatchObject({ error: 'invalid_request', error_description: expect.any(String) });
  });

  it.each([
    ['token', '', 'fragment'],
    ['id_token token', '', 'fragment'],
    ['code id_token', '', 'fragment'],
    ['unknown', '', 'query'],
    ['token', 'query', 'query'],
  ])('of the error for response_type=%s and response_mode=“%s” is %s', async (response_type, mode, expected) => {
    const { location } = await browser().get(path(mode, { response_type }));
    const { hash, searchParams } = new URL(location!);
    const told = expected === 'fragment' ? new URLSearchParams(hash.slice(1)) : searchParams;
    expect([told.get('error'), told.get('state')]).toEqual(['unsupported_response_type', 'a "b" & c']);
    expect([hash === '', searchParams.has('error')]).toEqual([expected === 'query', expected === 'query']);
  });

  it.each([
    ['token', 'fragment'],
    ['code', 'query'],
  ])('of the error for an unknown one is the default of response_type=%s: %s', async (response_type, expected) => {
    const { location } = await browser().get(path('unknown', { response_type }));
    const { hash, searchParams } = new URL(location!);
    const told = expected === 'fragment' ? new URLSearchParams(hash.slice(1)) : searchParams;
    expect([told.has('error'), told.get('state')]).toEqual([true, 'a "b" & c']);
    expect([hash === '', searchParams.has('error')]).toEqual([expected === 'query', expected === 'query']);
  });

  it('form_post applies when the user cancels on our page', async () => {
    const stranger = await world.user();
    const visitor = browser();
    const page = await visitor.signIn(path('form_post'), stranger.email, stranger.password);
    const back = /href="(\/sign-in\/[^"]+\/back\?reason(?:=|&#x3D;)[a-z_]+)"/.exec(page.body)?.[1];
    const told = expectForm(await visitor.get(back!.replaceAll('&#x3D;', '=')));
    expect(told).toMatchObject({ error: 'access_denied', state: 'a "b" & c' });
    // Of nobody else's sign-in.
    expect((await browser().get(back!.replaceAll('&#x3D;', '='))).status).toBe(400);
  });

  it('query is the default', async () => {
    const answer = await browser().signIn(path('query'), user.email, user.password);
    expect([...answer.delivered.keys()]).toEqual(['code', 'state', 'iss']);
  });

  it('form_post is rejected for a custom scheme, because no form can be posted to it', async () => {
    const redirectUri = `com.example.n${unique()}:/cb`;
    const native = { ...(await world.app(tenant, { config: { redirect_uris: [redirectUri] } })), redirectUri };
    const { delivered } = await browser().get(authorizationPath(native, { response_mode: 'form_post' }));
    expect(delivered.get('error')).toBe('invalid_request');
  });
});
