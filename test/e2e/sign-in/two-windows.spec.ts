import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProofGuard } from '../../../src/users/proof-guard.js';
import { codeAt } from '../../support/authenticator.js';
import { type HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { authorizationPath } from '../../support/openid-sign-in.js';
import { addPasskey, passkeySettings, TestAuthenticator } from '../../support/passkeys.js';
import { PausedProofs } from '../../support/paused-proofs.js';
import { enroll } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestUser, World } from '../../support/world.js';

describe('One sign-in in two windows of a browser, in which two users sign in', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let proofs: PausedProofs;

  beforeAll(async () => {
    service = await startTestApp({
      settings: await passkeySettings(),
      override: (builder) => PausedProofs.into(builder),
    });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    proofs = service.nest.get<PausedProofs>(ProofGuard, { strict: false });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  /** The first user has shown the password, and no page after it was opened. */
  const begun = async (user: TestUser) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(authorizationPath(app));
    const form_token = page.formToken();
    const { email, password } = user;
    const { location } = await browser.post(page.formAction(), { form_token, email, password });
    return { browser, page, form_token, attempt: location! };
  };
  /** What the first window gets if the second one does this in the middle. */
  const meanwhile = async (first: TestUser, open: () => Promise<HostedAnswer>, second: () => Promise<unknown>) => {
    const pause = proofs.pause(first.id);
    const answer = open();
    await Promise.race([pause.reached, answer.then(() => Promise.reject(new Error('It did not ask for the proof')))]);
    await second();
    pause.goOn();
    return answer;
  };
  const codesOf = ({ id }: TestUser) => world.sql('SELECT 1 FROM authorization_codes WHERE user_id = $1', [id]);

  it('ends for the user who is in it at the end', async () => {
    const [first, second] = [await world.user(app), await world.user(app)];
    const { secret } = await enroll(world, second, app.id);
    const { browser, page, form_token, attempt } = await begun(first);
    const { email, password } = second;
    const ended = await meanwhile(
      first,
      () => browser.get(attempt),
      () => browser.post(page.formAction(), { form_token, email, password }),
    );
    expect(ended.location).toMatch(/^\/sign-in\//);
    expect(await codesOf(first)).toEqual([]);
    const asked = await browser.get(attempt);
    const end = await browser.submit(asked, { code: codeAt(secret) });
    expect(end.delivered.get('code')).toBeTruthy();
    expect(await codesOf(second)).toHaveLength(1);
  });

  it('begins no session for a user who was removed from it', async () => {
    const user = await world.user(app);
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    const { browser, form_token, attempt } = await begun(user);
    const answer = await meanwhile(
      user,
      () => browser.get(attempt),
      () => browser.post(`${attempt}/other-account`, { form_token }),
    );
    expect([answer.status, answer.location]).toEqual([200, null]);
    expect(answer.body).toContain('type="password"');
    expect(browser.cookie('sso')).toBeUndefined();
    expect(await codesOf(user)).toEqual([]);
  });

  it.each([
    ['join', { registration_policy: 'open' }, {}],
    ['request access', { registration_policy: 'approval' }, { message: 'Let me in' }],
  ])('lets only the user %s to whom the page was shown', async (_, settings, answer) => {
    const other = await world.app(await world.tenant(), settings);
    const [first, second] = [await world.user(app), await world.user(app)];
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(authorizationPath(other), first.email, first.password);
    expect(page.body).toContain(first.email);
    const attempt = page.formAction().replace(/\/[a-z_]+$/, '');
    await browser.post(`${attempt}/other-account`, { form_token: page.formToken() });
    await browser.submit(await browser.get(attempt), { email: second.email, password: second.password });
    const again = await browser.submit(page, answer);
    expect(again.body).toContain(second.email);
    expect(await world.sql('SELECT 1 FROM enrollments WHERE app_id = $1', [other.id])).toEqual([]);
    await browser.submit(again, answer);
    expect(await world.sql('SELECT user_id FROM enrollments WHERE app_id = $1', [other.id])).toEqual([
      { user_id: second.id },
    ]);
  });

  it.each([
    ['that the app may learn about them', { prompt: 'consent' }, {}],
    ['whether they keep their account', {}, { answer: 'keep' }],
  ])('asks the second user %s, whatever the first page answers', async (_, parameters, answer) => {
    const [first, second] = [await world.user(app), await world.user(app)];
    if ('answer' in answer)
      await world.sql("UPDATE users SET deletion_due_at = now() + interval '3 days' WHERE id = ANY ($1)", [
        [first.id, second.id],
      ]);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(authorizationPath(app, parameters), first.email, first.password);
    expect(page.body).toContain(first.email);
    const attempt = page.formAction().replace(/\/[a-z_]+$/, '');
    await browser.post(`${attempt}/other-account`, { form_token: page.formToken() });
    const theirs = await browser.submit(await browser.get(attempt), {
      email: second.email,
      password: second.password,
    });
    expect(theirs.body).toContain(second.email);
    const again = await browser.submit(page, answer);
    expect([again.status, again.location]).toEqual([200, null]);
    expect(again.body).toContain(second.email);
    const end = await browser.submit(again, answer);
    expect(end.delivered.get('code')).toBeTruthy();
  });
});
