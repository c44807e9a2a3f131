import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { signUpUser } from '../../support/new-user.js';
import { type FakeProviders, startFakeProviders } from '../../support/fake-providers.js';
import { passProvider, providerUser } from '../../support/provider-sign-in.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

describe('Linked accounts on the account page', () => {
  let rig: FakeProviders;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    rig = await startFakeProviders();
    const { port, baseUrl, providers } = rig;
    service = await startTestApp({ settings: { port, baseUrl, providers: { ...providers, apple: null } } });
    world = await World.open(baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await rig.close();
  });

  const insert = async (userId: string, provider: string) => {
    const id = randomUUID();
    await world.sql('INSERT INTO linked_accounts (id, user_id, provider, subject, email) VALUES ($1, $2, $3, $4, $5)', [
      id,
      userId,
      provider,
      `sub-${id}`,
      `${provider}@example.com`,
    ]);
    return id;
  };
  const linksOf = (userId: string) => world.sql('SELECT id FROM linked_accounts WHERE user_id = $1', [userId]);
  const remove = (browser: HostedBrowser, id: string) => sendForm(browser, `/account/linked-accounts/${id}/remove`);

  it('offers the configured providers that are not linked yet', async () => {
    const user = await world.user(app);
    await insert(user.id, 'github');
    const page = await (await visitAccount(world, user)).get('/account');
    const offered = [...page.body.matchAll(/href="\/oauth\/(\w+)\/start\?link&#x3D;1"/g)].map((match) => match[1]);
    expect(offered).toEqual(['google', 'microsoft']);
    expect(wordsOf(page)).toContain('GitHub github@example.com · linked just now');
  });

  it('links an account after a sign-in at the provider and confirms it on the page', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    rig.google.signInAs(providerUser());
    const started = await browser.startLinking('google');
    const there = new URL(started.location!);
    expect(there.searchParams.get('prompt')).toBe('select_account');
    there.searchParams.delete('prompt'); // which the stand-in does not know
    const { path } = await passProvider(there.href, rig.baseUrl);
    const back = await browser.get(path);
    expect([back.status, back.location]).toEqual([302, '/account?done=linked']);
    expect(wordsOf(await browser.get(back.location!))).toContain('The account is linked.');
    expect(await linksOf(user.id)).toHaveLength(1);
  });

  it('removes a linked account and records it in the audit log', async () => {
    const user = await world.user(app);
    const github = await insert(user.id, 'github');
    await insert(user.id, 'google');
    const browser = await visitAccount(world, user);
    const answer = await remove(browser, github);
    expect([answer.status, answer.location]).toEqual([303, '/account?done=unlinked']);
    expect(await linksOf(user.id)).toHaveLength(1);
    const rows = await world.sql(
      "SELECT metadata, actor_id FROM audit_entries WHERE user_id = $1 AND action = 'linked_account.removed'",
      [user.id],
    );
    expect(rows).toEqual([{ metadata: { provider: 'github' }, actor_id: user.id }]);
  });

  it('returns 409 for the removal of the only sign-in method and suggests setting a password', async () => {
    const user = await signUpUser(world, app, { password: undefined });
    const id = await insert(user.id, 'google');
    const browser = await visitAccount(world, await world.user(app));
    browser.setCookie('sso', user.ssoCookie!.split('=')[1]!);
    const answer = await remove(browser, id);
    expect([answer.status, wordsOf(answer).includes('Set a password before you remove it')]).toEqual([409, true]);
    expect(await linksOf(user.id)).toHaveLength(1);
  });

  it('asks for a new sign-in before a removal if the last one is older than five minutes', async () => {
    const user = await world.user(app);
    const id = await insert(user.id, 'google');
    const browser = await visitAccount(world, user);
    await ageSignIns(world, user.id, 301);
    const answer = await remove(browser, id);
    expect([answer.status, answer.location]).toEqual([303, '/account/sign-in?fresh=1']);
    expect(await linksOf(user.id)).toHaveLength(1);
  });

  // security 76
  it('returns 404 for the removal of another user’s linked account, as for an unknown id', async () => {
    const [user, other] = [await world.user(app), await world.user(app)];
    const theirs = await insert(other.id, 'google');
    const browser = await visitAccount(world, user);
    for (const id of [theirs, randomUUID()]) expect((await remove(browser, id)).status).toBe(404);
    expect(await linksOf(other.id)).toHaveLength(1);
  });
});
