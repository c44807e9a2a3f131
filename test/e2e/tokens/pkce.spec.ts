import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { CHALLENGE, newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { postForm, postJson } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const WRONG = [400, 'Invalid code_verifier', 'invalid_grant'];
const SPENT = [400, 'Invalid or expired code', 'invalid_grant'];

// security 52, 53
describe('PKCE', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const exchange = async (code: string, fields: Record<string, unknown> = {}) => {
    const { status, body } = await postJson(`${world.baseUrl}/token/exchange`, { code, app_id: app.id, ...fields });
    return [status, body.detail, body.error];
  };

  it('accepts the pair of RFC 7636, Appendix B (security 53)', async () => {
    const [status] = await exchange(await newCode(world, app, user, PKCE), { code_verifier: VERIFIER });
    expect(status).toBe(200);
  });

  it.each([
    ['missing', {}],
    ['null', { code_verifier: null }],
    ['empty', { code_verifier: '' }],
    ['a list', { code_verifier: [VERIFIER] }],
    ['an object', { code_verifier: { toString: VERIFIER } }],
    ['a number', { code_verifier: 7 }],
    ['the challenge itself', { code_verifier: CHALLENGE }],
    ['another one', { code_verifier: VERIFIER.replace('d', 'e') }],
    ['with a blank behind it', { code_verifier: `${VERIFIER} ` }],
    ['too long', { code_verifier: 'a'.repeat(600) }],
  ])('rejects a verifier that is %s and burns the code (security 52)', async (_, fields) => {
    const code = await newCode(world, app, user, PKCE);
    expect(await exchange(code, fields)).toEqual(WRONG);
    expect(await exchange(code, { code_verifier: VERIFIER })).toEqual(SPENT);
  });

  it('rejects a form that repeats the verifier and burns the code (security 52)', async () => {
    const code = await newCode(world, app, user, PKCE);
    const answer = await postForm(`${world.baseUrl}/token/exchange`, [
      ['code', code],
      ['app_id', app.id],
      ['code_verifier', VERIFIER],
      ['code_verifier', VERIFIER],
    ]);
    expect([answer.status, answer.body.detail]).toEqual(WRONG.slice(0, 2));
    expect(await exchange(code, { code_verifier: VERIFIER })).toEqual(SPENT);
  });

  it('rejects a verifier if no challenge was sent to /login (security 52)', async () => {
    const code = await newCode(world, app, user);
    expect(await exchange(code, { code_verifier: VERIFIER })).toEqual(WRONG);
  });

  it('is required in addition to a client secret', async () => {
    const code = await newCode(world, app, user, PKCE);
    expect(await exchange(code, { client_secret: app.secret })).toEqual(WRONG);
  });

  it.each([
    ['no method', { code_challenge: CHALLENGE }],
    ['plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }],
    ['s256', { code_challenge: CHALLENGE, code_challenge_method: 's256' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
    ['a challenge of 42 characters', { ...PKCE, code_challenge: CHALLENGE.slice(1) }],
    ['a challenge of 44 characters', { ...PKCE, code_challenge: `${CHALLENGE}A` }],
    ['a padded challenge', { ...PKCE, code_challenge: `${CHALLENGE.slice(1)}=` }],
    ['a challenge in plain base64', { ...PKCE, code_challenge: `${CHALLENGE.slice(1)}+` }],
  ])('sends the browser back with invalid_request at /login for %s (security 53)', async (_, parameters) => {
    const answer = await new HostedBrowser(world.baseUrl).get(loginPath(app, { state: 's', ...parameters }));
    expect([302, 303]).toContain(answer.status);
    expect(answer.location).toMatch(new RegExp(`^${app.redirectUri.replaceAll('.', '\\.')}\\?`));
    expect([answer.delivered.get('error'), answer.delivered.get('state')]).toEqual(['invalid_request', 's']);
  });
});
