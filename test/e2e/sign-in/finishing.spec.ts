import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { judged } from '../../support/judged.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('Finished hosted sign-in', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let browser: HostedBrowser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  beforeEach(async () => {
    user = await world.user(app);
    browser = new HostedBrowser(service.baseUrl);
  });

  const submitTwice = async (parameters: Record<string, string> = {}) => {
    const page = await browser.get(loginPath(app, { state: 'kept &+%', ...parameters }));
    const form = { form_token: page.formToken(), email: user.email, password: user.password };
    const attempt = page.formAction().replace('/password', '');
    await browser.post(page.formAction(), form);
    const delivered = await browser.get(attempt);
    return { page, form, attempt, delivered };
  };

  /** What the attempt at this address was asked for. */
  const requestOf = async (attempt: string) => {
    const ofAttempt = 'SELECT request FROM sign_in_attempts WHERE id = $1';
    return (await world.sql<{ request: Record<string, unknown> }>(ofAttempt, [attempt.split('/').at(-1)]))[0]!.request;
  };

  /** Follows our own redirects. */
  const go = async (path: string) => {
    let answer = await browser.get(path);
    for (let hops = 0; answer.location?.startsWith('/') && hops < 5; hops++)
      answer = await browser.get(answer.location);
    return answer;
  };

  it('restarts when the user returns to it, and issues its own code', async () => {
    const { attempt, delivered } = await submitTwice({ device_id: 'phone', scope: 'openid', nonce: 'n' });
    const again = await browser.get(attempt);
    expect(again.location).toMatch(/^\/sign-in\//);
    expect(again.location).not.toBe(attempt);
    const sent = await go(again.location!);
    expect(sent.location?.startsWith(app.redirectUri)).toBe(true);
    expect(sent.delivered.get('state')).toBe('kept &+%');
    expect(sent.delivered.get('code')).not.toBe(delivered.delivered.get('code'));
  });

  // RFC 9449 section 10, OpenID Connect Core 3.1.2.1, RFC 9126: none of these can be said again in an address.
  it('keeps the key of the code, the expected user and that it was pushed when it restarts', async () => {
    const { attempt } = await submitTwice();
    const id = attempt.split('/').at(-1);
    const more = { dpopJkt: 'key', subject: [user.id], pushed: true };
    const answered = { consentedBy: user.id, deletionSeenBy: user.id };
    await world.sql('UPDATE sign_in_attempts SET request = request || $2::jsonb WHERE id = $1', [
      id,
      JSON.stringify({ ...more, ...answered }),
    ]);
    const { consentedBy, deletionSeenBy, ...asked } = await requestOf(attempt);
    expect([consentedBy, deletionSeenBy]).toEqual([user.id, user.id]);
    const { location } = await browser.get(attempt);
    expect(await requestOf(location!)).toEqual(asked);
    expect(asked).toMatchObject(more);
  });

  it('lets no other user than the expected one come back when it restarts', async () => {
    const { attempt } = await submitTwice();
    const other = await world.user(app);
    const hinted = JSON.stringify({ subject: [other.id] });
    await world.sql('UPDATE sign_in_attempts SET request = request || $2::jsonb WHERE id = $1', [
      attempt.split('/').at(-1),
      hinted,
    ]);
    const page = await browser.get((await browser.get(attempt)).location!);
    expect([page.status, page.location]).toEqual([200, null]);
    const end = await browser.submit(page, { email: user.email, password: user.password });
    expect(Object.fromEntries(end.delivered)).toMatchObject({ error: 'login_required', state: 'kept &+%' });
  });

  it('keeps the challenge, the device and the nonce when it restarts', async () => {
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const { attempt } = await submitTwice({
      code_challenge: challenge,
      code_challenge_method: 'S256',
      device_id: 'phone',
      nonce: 'n-1',
      scope: 'openid email',
    });
    const restart = await requestOf((await browser.get(attempt)).location!);
    expect(restart).toEqual(await requestOf(attempt));
    expect(restart).toMatchObject({
      redirectUri: app.redirectUri,
      state: 'kept &+%',
      codeChallenge: challenge,
      deviceId: 'phone',
      nonce: 'n-1',
      scope: 'openid email',
    });
  });

  it('asks for the password when it restarts with prompt=login or max_age', async () => {
    const { attempt } = await submitTwice({ prompt: 'login', max_age: '60', login_hint: user.email });
    const restart = await requestOf((await browser.get(attempt)).location!);
    expect(restart).toMatchObject({ prompt: 'login', maxAge: 60, loginHint: user.email });
    const page = await go(attempt);
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toContain('type="password"');
  });

  it('follows OpenID Connect again when it restarts', async () => {
    const { attempt } = await submitTwice({ response_type: 'code' });
    expect((await go(attempt)).delivered.get('iss')).toBe(service.baseUrl);
  });

  it('accepts the same form sent twice', async () => {
    const { page, form, delivered } = await submitTwice();
    const second = await browser.post(page.formAction(), form);
    expect(second.status).toBe(303);
    const sent = await go(second.location!);
    expect(sent.delivered.get('state')).toBe('kept &+%');
    expect(sent.delivered.get('code')).not.toBe(delivered.delivered.get('code'));
  });

  it('delivers once when requested sixteen times at once', async () => {
    const page = await browser.get(loginPath(app));
    const attempt = page.formAction().replace('/password', '');
    await browser.post(page.formAction(), {
      form_token: page.formToken(),
      email: user.email,
      password: user.password,
    });
    const answers = judged(await Promise.all(Array.from({ length: 16 }, () => browser.get(attempt))));
    const codes = answers.filter(({ location }) => location?.startsWith(app.redirectUri));
    const restarts = answers.filter(({ location }) => location?.startsWith('/sign-in/'));
    expect([codes.length, restarts.length]).toEqual([1, answers.length - 1]);
  });

  it('delivers nothing if the app was switched off during it', async () => {
    const closing = await world.app(tenant);
    const member = await world.user(closing);
    const page = await browser.get(loginPath(closing));
    const form = { form_token: page.formToken(), email: member.email, password: member.password };
    const posted = await browser.post(page.formAction(), form);
    await world.asAdmin('PUT', `/admin/apps/${closing.id}`, { is_active: false });
    const answer = await browser.get(posted.location!);
    expect([answer.status, answer.location]).toEqual([400, null]);
    expect(answer.body).toContain('Go back to the app');
    expect((await browser.post(page.formAction(), form)).status).toBe(400);
  });

  it('delivers no code if the user was suspended between password and delivery', async () => {
    const page = await browser.get(loginPath(app, { state: 's' }));
    const posted = await browser.post(page.formAction(), {
      form_token: page.formToken(),
      email: user.email,
      password: user.password,
    });
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect(Object.fromEntries((await browser.get(posted.location!)).delivered)).toEqual({
      error: 'account_suspended',
      state: 's',
    });
  });

  it('asks for the password again if the account was switched off during it', async () => {
    const page = await browser.get(loginPath(app));
    const posted = await browser.post(page.formAction(), {
      form_token: page.formToken(),
      email: user.email,
      password: user.password,
    });
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
    const answer = await browser.get(posted.location!);
    expect([answer.status, answer.location]).toEqual([200, null]);
    expect(answer.body).toContain('type="password"');
  });
});
