import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { contentToken } from '../../support/console-visitor.js';

/** As Chromium asks for a page that the user opens by a link of the page before. */
const OWN_NAVIGATION = {
  'accept-encoding': 'gzip, deflate, br',
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-dest': 'document',
};
const USERS = '/console/users';

interface Raw {
  readonly status: number;
  readonly encoding: string | undefined;
  readonly vary: string;
  readonly length: number;
  readonly body: Buffer;
}

describe('Compressed answers', () => {
  let fixture: ConsoleFixture;
  let cookie: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    const app = await fixture.world.app(fixture.tenant);
    for (let index = 0; index < 5; index++) await fixture.world.user(app);
    cookie = fixture.browser.cookieHeader();
  });

  afterAll(() => fixture.close());

  /** Without a client that decompresses, or adds headers of its own. */
  function ask(path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${fixture.service.baseUrl}${path}`, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const all = Buffer.concat(chunks);
          if (method !== 'HEAD') expect(response.headers['content-length']).toBe(String(all.length));
          resolve({
            status: response.statusCode!,
            encoding: response.headers['content-encoding'],
            vary: response.headers.vary ?? '',
            length: all.length,
            body: response.headers['content-encoding'] === 'gzip' ? gunzipSync(all) : all,
          });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }
  const page = (headers: Record<string, string> = {}, path = USERS) =>
    ask(path, { ...OWN_NAVIGATION, cookie, ...headers });

  it('make a page of the console that its user opens a quarter as long', async () => {
    const [zipped, plain] = [await page(), await page({ 'accept-encoding': 'identity' })];
    expect([zipped.status, zipped.encoding, plain.encoding]).toEqual([200, 'gzip', undefined]);
    expect(zipped.length).toBeLessThan(plain.length / 4);
    expect(zipped.body.toString()).toContain('Ada Lovelace');
    for (const { vary } of [zipped, plain]) expect(vary).toContain('Accept-Encoding');
    expect((await page({ 'sec-fetch-site': 'none' })).encoding).toBe('gzip');
    expect((await page({ 'sec-fetch-dest': 'empty' })).encoding).toBe('gzip');
    expect((await page({ 'accept-encoding': 'gzip;q=0, br' })).encoding).toBeUndefined();
  });

  it.each([
    ['another site opens', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbor below the same domain opens', { 'sec-fetch-site': 'same-site' }],
    ['one of our pages shows as an image, whose address may be a stranger’s', { 'sec-fetch-dest': 'image' }],
    ['stands in a frame', { 'sec-fetch-dest': 'iframe' }],
  ])('never are a page that %s', async (_, headers) => {
    const answer = await page(headers);
    expect([answer.status, answer.encoding]).toEqual([200, undefined]);
  });

  it('never are a page to a browser that does not say who opened it', async () => {
    const { 'sec-fetch-site': _, ...rest } = OWN_NAVIGATION;
    const answer = await ask(USERS, { ...rest, cookie });
    expect([answer.status, answer.encoding]).toEqual([200, undefined]);
  });

  it('never are a page that may repeat what the request says', async () => {
    for (const path of [`${USERS}?q=ada`, `${USERS}?anything=guess`, '/console/search?q=ada']) {
      const answer = await page({}, path);
      expect([path, answer.status, answer.encoding]).toEqual([path, 200, undefined]);
    }
    const missing = await page({}, '/console/nothing-that-is-here');
    expect([missing.status, missing.encoding]).toEqual([404, undefined]);
  });

  it('never are the answer to a form, which repeats its fields or shows a secret', async () => {
    const token = contentToken(await fixture.browser.get('/console/users/new'));
    const form = new URLSearchParams({ form_token: token, email: 'no address', display_name: 'x'.repeat(50) });
    const headers = { ...OWN_NAVIGATION, cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await ask(USERS, headers, 'POST', form.toString());
    expect(answer.body.toString()).toContain('x'.repeat(50));
    expect(answer.encoding).toBeUndefined();
  });

  it('are long JSON lists for a bearer token, and public documents', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const authorization = `Bearer ${fixture.world.admin.token}`;
    const list = await ask('/admin/users', { ...gzip, authorization });
    expect([list.status, list.encoding]).toEqual([200, 'gzip']);
    expect((JSON.parse(list.body.toString()) as unknown[]).length).toBeGreaterThan(5);
    expect((await ask('/admin/users', { authorization })).encoding).toBeUndefined();
    const document = await ask('/openapi.json', gzip);
    expect(document.encoding).toBe('gzip');
    expect(document.length).toBeLessThan(document.body.length / 5);
    expect((await ask('/openapi.json', { ...gzip, cookie })).encoding).toBeUndefined();
    expect((await ask('/health/live', gzip)).encoding).toBeUndefined();
    const head = await ask('/admin/users', { ...gzip, authorization }, 'HEAD');
    expect([head.status, head.encoding, head.length]).toEqual([200, undefined, 0]);
  });

  it('never are an answer with a token', async () => {
    const body = JSON.stringify({
      email: fixture.tenantAdmin.email,
      password: fixture.tenantAdmin.password,
      app_id: fixture.tenant.consoleAppId,
    });
    const headers = { 'accept-encoding': 'gzip', 'content-type': 'application/json' };
    const answer = await ask('/auth/login', headers, 'POST', body);
    expect(answer.length).toBeGreaterThan(1_000);
    expect([answer.status, answer.encoding]).toEqual([200, undefined]);
  });
});
