import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentWords } from '../../../support/console-visitor.js';
import { freePort } from '../../../support/free-port.js';
import { type HostedAnswer, HostedBrowser } from '../../../support/hosted-page.js';
import { unique } from '../../../support/world.js';
import { eventually } from '../../../support/wait.js';

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  lt: '<',
  gt: '>',
  amp: '&',
  '#x27': "'",
  '#x3D': '=',
  '#x60': '`',
};
/** Without the colors of code. */
const unescaped = (html: string) =>
  html
    .replaceAll(/<span class="code-\w+">|<\/span>/g, '')
    .replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);

describe('Console: adding an app’s sign-in to code', () => {
  let fixture: ConsoleFixture;
  let origin: string;
  let created: HostedAnswer;
  let id: string;
  let home: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    origin = `http://127.0.0.1:${await freePort()}`;
    created = await fixture.fill('/console/apps/new', {
      name: 'Claims Portal',
      bundle_id: `com.example.${unique()}`,
      tenant_id: fixture.tenant.id,
      redirect_uris: `${origin}/callback`,
      registration_policy: 'open',
    });
    id = /OIDC_CLIENT_ID=([\w-]+)/.exec(unescaped(created.body))![1]!;
    home = `/console/apps/${id}`;
  });

  afterAll(() => fixture.close());

  const snippetOn = ({ body }: HostedAnswer) =>
    unescaped(/<pre class="json"[^>]*><code>([\s\S]*?)<\/code>/.exec(body)![1]!);
  const environment = () =>
    Object.fromEntries(
      snippetOn(created)
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );

  it('begins on the page of a new app, with an environment to copy and the next steps', async () => {
    expect(environment()).toEqual({
      OIDC_ISSUER: fixture.world.baseUrl,
      OIDC_CLIENT_ID: id,
      OIDC_CLIENT_SECRET: expect.stringMatching(/^\S{30,}$/),
      OIDC_REDIRECT_URI: `${origin}/callback`,
    });
    expect(contentWords(created)).toMatch(/Register a redirect URI Done.*Test the sign-in page.*Invite the first user/);
    for (const [, path] of created.body.matchAll(/<li><a href="(\/console[^"#]+)/g))
      expect([path, (await fixture.browser.get(path!)).status]).toEqual([path, 200]);
  });

  it('has the credentials under the names of OpenID Connect, without the secret', async () => {
    const page = await fixture.browser.get(home);
    for (const value of [`${fixture.world.baseUrl}/.well-known/openid-configuration`, id, `${origin}/callback`])
      expect(page.body).toContain(`<code>${value}</code>`);
    expect(page.body).not.toContain(environment()['OIDC_CLIENT_SECRET']);
    expect(contentWords(page)).toContain('Test sign-in');
  });

  it.each([
    ['next', 'next-auth'],
    ['spa', 'oidc-client-ts'],
    ['python', 'Authlib'],
    ['go', 'go-oidc'],
    ['curl', 'token/exchange'],
    ['unknown', 'openid-client'],
  ])('shows for ?framework=%s a snippet with %s and the app’s own id', async (framework, library) => {
    const snippet = snippetOn(await fixture.browser.get(`${home}?framework=${framework}`));
    expect([snippet.includes(library), snippet.includes(id)]).toEqual([true, true]);
  });

  it.each(['public', 'native'])('shows no secret anywhere for a %s app', async (client_type) => {
    const made = await fixture.fill('/console/apps/new', {
      name: 'Field Notes',
      bundle_id: `com.example.${unique()}`,
      tenant_id: fixture.tenant.id,
      redirect_uris: `${origin}/callback`,
      registration_policy: 'open',
      client_type,
    });
    const appId = /OIDC_CLIENT_ID=([\w-]+)/.exec(unescaped(made.body))![1]!;
    expect(contentWords(made)).toContain('it has no client secret');
    const overview = await fixture.browser.get(`/console/apps/${appId}`);
    expect(contentWords(overview)).toContain('the app is a public client and uses PKCE');
    const apiAccess = await fixture.browser.get(`/console/apps/${appId}/api-access`);
    for (const { body } of [made, overview, apiAccess])
      expect(body).not.toMatch(/CLIENT_SECRET|client_secret|\/secret"/);
  });

  it('works for Node.js as printed: the user arrives in the app', async () => {
    const code = snippetOn(await fixture.browser.get(`${home}?framework=node`));
    const env = { ...process.env, ...environment() };
    const app = spawn(process.execPath, ['--input-type=module', '--eval', code], { env });
    try {
      await listening(app);
      const begun = await fetch(`${origin}/login`, { redirect: 'manual' });
      const to = new URL(begun.headers.get('location')!);
      const user = await fixture.world.user({ id });
      const browser = new HostedBrowser(fixture.world.baseUrl);
      const back = await browser.signIn(to.pathname + to.search, user.email, user.password);
      const Cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!;
      const arrived = await fetch(back.location!, { headers: { Cookie } });
      expect(await arrived.json()).toMatchObject({ sub: user.id, aud: id, email: user.email });
    } finally {
      app.kill();
      await once(app, 'exit');
    }
  });
});

async function listening(app: ChildProcess): Promise<void> {
  let output = '';
  for (const stream of [app.stdout!, app.stderr!]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  await eventually('the app listens', () => output.includes('Open http') || app.exitCode !== null);
  expect(output).toContain('Open http');
}
