import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HelpLibrary } from '../../../src/console/help/help-library.js';
import { pathOf } from '../../../src/console/help/help-article.js';
import { fillText } from '../../../src/console/help/help-values.js';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const METHODS = 'GET|POST|PUT|PATCH|DELETE';
const VIEWS = new URL('../../../views/', import.meta.url);

function views(): { name: string; source: string }[] {
  return readdirSync(VIEWS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.hbs'))
    .map((name) => ({ name, source: readFileSync(new URL(name, VIEWS), 'utf8') }));
}

describe('Console: help', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let sibling: TestClient;
  let manager: TestUser;
  let browser: HostedBrowser;
  const library = new HelpLibrary();
  const articles = library.contents().flatMap((part) => part.articles);

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    const tenant = await world.tenant();
    app = await world.app(tenant, { name: 'Mine' });
    sibling = await world.app(tenant, { name: 'Not mine' });
    manager = await world.user(app, { roles: ['manager'] });
    browser = await visitConsole(world, manager);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  it('shows every article', async () => {
    const index = (await browser.get('/console/help')).body;
    for (const article of articles) {
      expect(index).toContain(`href="${pathOf(article)}"`);
      const page = await browser.get(pathOf(article));
      expect([pathOf(article), page.status]).toEqual([pathOf(article), 200]);
      expect(page.body).not.toMatch(/\{\{\w+\}\}| style="/);
    }
  });

  /** Everything that looks like a route: in code, in URLs of the service, and in links. */
  function namedRoutes(): { where: string; method: string | null; path: string }[] {
    return articles
      .filter(({ slug }) => slug !== 'roles') // generated from the access matrix, which has its own tests
      .flatMap(({ html, slug }) => {
        const plain = html.replaceAll(/<span class="code-\w+">|<\/span>/g, '');
        const text = plain.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
        const spoken = [...text.matchAll(new RegExp(`<code>(?:(${METHODS}) )?(/[^<\\s]*)</code>`, 'g'))];
        const called = [...text.matchAll(/\{\{base_url\}\}(\/[^\s"'<`]*)/g)].map(([, path]) => [null, null, path]);
        const linked = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => [null, 'GET', path]);
        return [...spoken, ...called, ...linked].map((match) => ({
          where: slug,
          method: match[1] ?? null,
          path: match[2]!.split('?')[0]!,
        }));
      });
  }

  it('names only routes that exist', () => {
    const known = new Set(routesOf(service.nest));
    const shape = (path: string) =>
      path.replace(/\{\{?\w+\}?\}|\$[A-Z_]+/g, '*').replace(/(\/oauth)\/(google|microsoft|github|apple)\//, '$1/*/');
    const exists = ({ method, path }: { method: string | null; path: string }): boolean =>
      [...known].some((route) => {
        const [verb, pattern] = route.split(' ') as [string, string];
        const matches = new RegExp(`^${pattern.replace(/[.+?]/g, '\\$&').replaceAll('*', '[^/]+')}/?$`).test(
          shape(path),
        );
        return matches && (method === null || method === verb);
      });
    const named = namedRoutes();
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((each) => !exists(each))).toEqual([]);
  });

  it('has the articles that other pages of the Console link to', async () => {
    const root = await visitConsole(world, world.admin);
    const of = `/console/apps/${app.id}`;
    const tabs = ['sign-in', 'api-access', 'push', 'webhooks', 'invites'].map((tab) => `${of}/${tab}`);
    const tenant = ['', '/data'].map((tab) => `/console/tenants/${app.tenantId}${tab}`);
    const lists = ['/console/invites', '/console/mails', '/console/queues', '/console/scheduled-changes'];
    const linked = new Set<string>();
    for (const path of [...tabs, ...tenant, ...lists, `/console/users/${manager.id}/access`]) {
      const [main] = /<main[^]*<\/main>/.exec((await root.get(path)).body)!;
      const found = [...main.matchAll(/href="(\/console\/help\/[^"]+)"/g)].map(([, href]) => href!);
      expect([path, found.length > 0]).toEqual([path, true]);
      for (const href of found) linked.add(href);
    }
    for (const { source } of views())
      for (const [, article] of source.matchAll(/(?:\bhelp="|href="\/console\/help\/)([a-z/-]+)"/g))
        linked.add(`/console/help/${article}`);
    expect(linked.size).toBeGreaterThan(15);
    for (const href of linked) expect([href, (await root.get(href)).status]).toEqual([href, 200]);
  });

  it('fills code examples with ids of apps that the reader may see', async () => {
    const page = (await browser.get('/console/help/start/first-app')).body;
    expect(page).toContain(`${service.baseUrl}/login?app_id&#x3D;${app.id}`.replace('&#x3D;', '='));
    expect(page).toContain(app.tenantId);
    // The form of the theme repeats the address of the page, and the search the ids that were found.
    const [asked] = /<main[^]*<\/main>/.exec(
      (await browser.get(`/console/help/start/first-app?app=${sibling.id}`)).body,
    )!;
    expect(asked).not.toContain(sibling.id);
    expect(asked).toContain(app.id);
    for (const wanted of ['%22%3E%3Cscript%3E', 'x', '']) {
      const answer = await browser.get(`/console/help/start/first-app?app=${wanted}`);
      expect([answer.status, answer.body.includes('<script>')]).toEqual([200, false]);
    }
    const root = await visitConsole(world, world.admin);
    expect((await root.get(`/console/help/start/first-app?app=${sibling.id}`)).body).toContain(
      `login?app_id=${sibling.id}`,
    );
  });

  it('lists the settings of each client library with the reader’s ids and existing endpoints', async () => {
    const { body } = await browser.get('/console/help/tokens/openid-connect');
    const [, section] = /<h2[^>]*>Settings by client<\/h2>([^]*?)<h2/.exec(body)!;
    const [table, ...parts] = section!.split(/<h3[^>]*>/);
    const clients = [...table!.matchAll(/<tr>\s*<td>([^<]+)<\/td>/g)].map(([, name]) => name!);
    expect(clients.length).toBeGreaterThanOrEqual(10);
    expect(parts.map((part) => part.split('</h3>')[0]!).sort()).toEqual([...clients].sort());
    const { body: metadata } = await world.call<Record<string, unknown>>('GET', '/.well-known/openid-configuration');
    const endpoints = [...Object.values(metadata), `${service.baseUrl}/.well-known/openid-configuration`];
    for (const part of parts) {
      const code = /<pre[^>]*>([^]*?)<\/pre>/.exec(part)![1]!.replace(/<[^>]+>/g, '');
      expect([code.includes(service.baseUrl), code.includes(app.id)]).toEqual([true, true]);
      const named = [...code.matchAll(/http:\/\/127\.0\.0\.1:\d+[\w./-]*/g)].map(([address]) => address);
      expect(named.filter((address) => !endpoints.includes(address) && address.startsWith(service.baseUrl))).toEqual(
        [],
      );
    }
  });

  it('is searchable, highlights the words and escapes everything', async () => {
    const found = await browser.get('/console/help?q=replay');
    expect(found.body).toContain('<mark>replay</mark>');
    expect(found.body).toContain('href="/console/help/tokens/claims"');
    const hostile = await browser.get(`/console/help?q=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect([hostile.status, hostile.body.includes('<script>alert')]).toEqual([200, false]);
    expect(contentWords(await browser.get('/console/help?q=xylophone'))).toContain('Nothing found');
    expect((await browser.get('/console/help?q=a&q=b')).status).toBe(200);
  });

  it('appears in the results of the Console search', async () => {
    const page = await browser.get('/console/search?q=webhooks');
    expect(page.body).toContain('href="/console/help/push/webhooks"');
  });

  it('returns 404 for unknown articles', async () => {
    for (const path of [
      '/console/help/start/none',
      '/console/help/none/first-app',
      '/console/help/start/..%2f..%2fREADME',
    ])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
  });

  it('contains a JavaScript example that accepts valid tokens and rejects others', async () => {
    const user = await world.user(app);
    const { access_token } = await world.tokens(user, app.id);
    const foreign = (await world.tokens(await world.user(sibling), sibling.id)).access_token;
    const serviceToken = await world.serviceToken(app);
    const values = { base_url: service.baseUrl, console_app_id: '', app_id: app.id, tenant_id: null };
    const source = fillText(library.find('tokens', 'verify-javascript')!.text, values);
    const snippet = source.slice(source.indexOf('import { createRemoteJWKSet'), source.indexOf('const [scheme'));
    const verified = async (token: string): Promise<string> => {
      const code = `${snippet}\nconsole.log((await verify(process.argv[1]).catch((error) => error)).sub ?? 'refused');`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, token]);
      return stdout.trim();
    };
    expect(await verified(access_token)).toBe(user.id);
    expect(await verified(foreign)).toBe('refused');
    expect(await verified(serviceToken)).toBe('refused');
    expect(await verified(`${access_token}x`)).toBe('refused');
  });
});
