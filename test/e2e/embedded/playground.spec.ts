import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DemoData } from '../../../src/embedded/dev/playground/demo-data.js';
import { challengeOf } from '../../../src/embedded/dev/playground/playground.rules.js';
import { freePort } from '../../support/free-port.js';
import { type HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

describe('Playground', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let user: TestUser;
  let browser: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    const port = await freePort();
    const where = { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}`, databaseUrl: database.url };
    service = await startTestApp({ settings: { ...where, embedded: true } });
    world = await World.open(service.baseUrl, database.url);
    const { id } = await service.nest.get(DemoData, { strict: false }).ensureApp();
    user = await world.user({ id } as TestClient);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(() => {
    browser = new HostedBrowser(service.baseUrl);
  });

  const fact = (page: HostedAnswer, name: string) =>
    new RegExp(`<dt>${name}</dt>\\s*<dd><code>([^<]+)</code>`).exec(page.body)![1]!;

  const loginUrl = (page: HostedAnswer) =>
    /class="button[^"]*" href="([^"]+)"/.exec(page.body)![1]!.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=');

  /** Signs in with a password. @returns the address that the browser is sent back to */
  const signIn = async (from: string): Promise<string> => {
    const form = await browser.get(from);
    const answer = await browser.submit(form, { email: user.email, password: user.password });
    return answer.location!;
  };

  it('begins every sign-in with its own state and the S256 challenge of a verifier of its own', async () => {
    const [one, other] = [await browser.get('/dev/playground'), await browser.get('/dev/playground')];
    const query = new URL(loginUrl(one), service.baseUrl).searchParams;
    expect(query.get('code_challenge')).toBe(challengeOf(fact(one, 'code_verifier')));
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('state')).toBe(fact(one, 'state'));
    for (const name of ['state', 'code_verifier']) expect(fact(one, name)).not.toBe(fact(other, name));
  });

  it('exchanges the code with the verifier of the sign-in that it came from', async () => {
    const start = await browser.get('/dev/playground');
    const verifier = fact(start, 'code_verifier');
    const back = await browser.get(await signIn(loginUrl(start)));
    expect(back.body).toContain('Matches');
    expect(back.body).toContain(`<dt>code_verifier</dt><dd><code>${verifier}</code></dd>`);
    const done = await browser.submit(back, { ...back.hiddenFields(), do: 'exchange' });
    expect(done.body).toContain('Status 200');
    expect(done.body).toMatch(/The access token expires in <strong>\d+ minutes/);
  });

  it('sends no verifier where another browser began the sign-in, and the code is refused', async () => {
    const returned = await signIn(loginUrl(await browser.get('/dev/playground')));
    browser = new HostedBrowser(service.baseUrl);
    const back = await browser.get(returned);
    expect(back.body).toContain('Does not match');
    const refused = await browser.submit(back, { ...back.hiddenFields(), do: 'exchange' });
    expect(refused.body).toContain('Status 400');
    expect(refused.body).not.toContain('access token expires');
  });
});
