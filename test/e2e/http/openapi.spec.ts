import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type OpenApiDocument,
  type Operation,
  operationsOf,
  resolveSchema,
  type Schema,
} from '../../support/openapi-operations.js';
import { routesOf, withStars } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

/** Pages and forms for browsers, and the document itself: not for client libraries. */
const NOT_DESCRIBED = /^\w+ \/(?:docs|openapi\.json|console|sign-in|setup|assets|login|dev)(?:\/|$)/;

describe('OpenAPI document', () => {
  let service: TestApp;
  let document: OpenApiDocument;
  let operations: Operation[];

  beforeAll(async () => {
    service = await startTestApp();
    document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
    operations = operationsOf(document);
  });

  afterAll(() => service.close());

  it('has the API version 3.9.0', async () => {
    const answer = await fetch(`${service.baseUrl}/openapi.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ]);
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\./), info: { version: '3.9.0' } });
  });

  it('describes every route of the API and no others', () => {
    const described = operations.map(({ method, path }) => `${method} ${withStars(path)}`).sort();
    const built = routesOf(service.nest).filter((route) => !NOT_DESCRIBED.test(route));
    expect(described.filter((route) => !NOT_DESCRIBED.test(route))).toEqual(built);
    expect(described.filter((route) => !routesOf(service.nest).includes(route))).toEqual([]);
    expect(built.length).toBeGreaterThan(25);
  });

  it('gives every operation a summary, a unique operationId and a success response', () => {
    const names = operations.map(({ raw }) => raw.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { method, path, raw } of operations) {
      expect([method, path, raw.summary]).toEqual([method, path, expect.stringMatching(/\w{3}/)]);
      expect([method, path, Object.keys(raw.responses).some((status) => /^[23]/.test(status))]).toEqual([
        method,
        path,
        true,
      ]);
    }
  });

  it.each([
    ['/auth/signup', '429', '`too_many_requests`'],
    ['/auth/signup', '403', '`{error: email_not_verified}`'],
    ['/admin/tenants', '409', '`Resource identifier already exists`'],
    ['/auth/totp/verify', '403', '`Sign-in method not allowed`'],
    ['/account/push-devices/{device_id}/remove', '429', 'too many requests'],
  ])('describes for %s when it returns %s', (path, status, words) => {
    const { raw } = operations.find((each) => each.path === path && each.method === 'POST')!;
    expect(raw.responses[status]).toMatchObject({ description: expect.stringContaining(words) });
  });

  it('lists 422 for operations with input, and 401 and 403 for operations under /admin', () => {
    for (const { method, path, raw } of operations) {
      if (raw.requestBody || raw.parameters?.length)
        expect([method, path, '422' in raw.responses]).toEqual([method, path, true]);
      if (path.startsWith('/admin'))
        expect([method, path, '401' in raw.responses, '403' in raw.responses]).toEqual([method, path, true, true]);
    }
    const inputs = operations.filter(({ body }) => body);
    expect(inputs.length).toBeGreaterThan(10);
    expect(document.components.schemas).toHaveProperty('HTTPValidationError.properties.detail');
  });

  it('describes each path parameter that the path names', () => {
    for (const { method, path, raw } of operations) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
      const described = (raw.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect([method, path, described.sort()]).toEqual([method, path, named.sort()]);
    }
  });

  it('contains no broken references', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
    for (const [, $ref] of references) expect(resolveSchema(document, { $ref } as Schema)).toBeDefined();
  });

  it('is rendered by /docs with files served by the service itself', async () => {
    const page = await fetch(`${service.baseUrl}/docs`);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline');
    const files = [...html.matchAll(/<(?:link|script|img)[^>]* (?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      expect(file).toMatch(/^\/assets\//);
      const answer = await fetch(`${service.baseUrl}${file}`);
      expect([file, answer.status, (await answer.arrayBuffer()).byteLength > 50]).toEqual([file, 200, true]);
    }
  });

  it('is shown by /docs with every route and schema, and with links that lead somewhere', async () => {
    const html = await (await fetch(`${service.baseUrl}/docs`)).text();
    for (const { method, path } of operations) {
      const id = `${method} ${path}`
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '');
      expect([method, path, html.includes(`<h3 id="${id}">`)]).toEqual([method, path, true]);
    }
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
  });
});
