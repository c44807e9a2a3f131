import { describe, expect, it } from '@jest/globals';
import { type Area, navigationFor } from '../../../src/console/frame/pages/navigation.js';
import { isOwnNavigation } from '../../../src/common/http/browser/own-navigation.rules.js';
import { pagerOf, readChosenPage, readPage } from '../../../src/console/frame/lists/pager.js';
import { pathAfterSignIn, readConsolePath } from '../../../src/console/login/console-path.rules.js';
import { type Authority, NO_AUTHORITY } from '../../../src/common/actor.js';

const OWN = 'https://id.example';

describe('Console link that changes something', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }, false],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }, false],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' }, false],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, false],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, false],
    // What the browser says of itself goes before what an address says.
    [{ 'sec-fetch-site': 'cross-site', referer: `${OWN}/console/` }, false],
    [{ referer: `${OWN}/console/` }, true],
    [{ referer: `${OWN}.evil.example/` }, false],
    [{ referer: 'http://id.example/' }, false],
    [{ referer: 'no address' }, false],
    [{}, false],
  ])('with %j works without confirmation: %s', (headers, expected) => {
    expect(isOwnNavigation(headers, OWN)).toBe(expected);
  });
});

describe('Destination after a Console sign-in', () => {
  it.each(['/console', '/console/', '/console?x', '/console/audit?page=2&q=a%20b', '/console/tenants/x#y'])(
    'may be %s',
    (path) => expect(readConsolePath(path)).toBe(path),
  );

  it.each([
    ...['', '/', '//console/', '/consolex', 'console/', 'https://evil.example/console/', '/console//evil.example'],
    ...['/console/\\evil', '/\\evil.example', '/console/\n', '/console/ x', '/console/\t', '/console/é'],
    ...['/console/login', '/console/logout?x', '/console/callback?code=x', `/console/${'x'.repeat(1024)}`],
    ...['/console/..', '/console/../login', '/console/x/../../account', '/console/%2e%2E/login', '/console/.%2e'],
    ...['/console/./', '/console/..//evil.example', '/console/..?x', '/console/..#x', '/console/x/../logout'],
    ...[undefined, null, ['/console/'], { path: '/console/' }],
  ])('may not be %j', (path) => expect(readConsolePath(path)).toBeNull());
});

describe('Confirmation for a link after a sign-in', () => {
  it.each([
    ['/console/select-tenant/x', '/console/select-tenant/x?ask=1'],
    ['/console/select-tenant/x?page=2#y', '/console/select-tenant/x?page=2&ask=1'],
    ['/console/select-tenant', '/console/select-tenant?ask=1'],
    ['/console/Select-Tenant/x/', '/console/Select-Tenant/x/?ask=1'],
    ['/console/help/../select-tenant/x', '/console/select-tenant/x?ask=1'],
    ['/console/x/%2e%2E/logout', '/console/logout?ask=1'],
    ['/console/impersonate-exit', '/console/impersonate-exit?ask=1'],
    ['/console/impersonate-app-exit?ask=', '/console/impersonate-app-exit?ask=1'],
  ])('is required: %s', (wanted, landing) => expect(pathAfterSignIn(wanted)).toBe(landing));

  it.each(['/console/', '/console/tenants/x#y', '/console/audit?page=2&q=a%20b', '/console/impersonate/x?reason=y'])(
    'is not required for a page: %s',
    (path) => expect(pathAfterSignIn(path)).toBe(path),
  );
});

describe('Pages of a Console list', () => {
  const request = { originalUrl: '/console/x?q=a&page=2' };

  it('keep every other parameter', () => {
    expect(pagerOf(request, { page: 2, limit: 50, total: 120, count: 50, isSized: false })).toEqual({
      page: 2,
      previousUrl: '/console/x?q=a&page=1',
      nextUrl: '/console/x?q=a&page=3',
      words: '51–100 of 120',
      sizes: [],
    });
  });

  it.each([
    [{ page: 1, limit: 50, total: 50, count: 50 }, null, null, '1–50 of 50'],
    [{ page: 1, limit: 50, total: 0, count: 0 }, null, null, 'Page 1'],
    [{ page: 3, limit: 50, total: 100, count: 0 }, '/console/x?q=a&page=2', null, 'Page 3'],
    [{ page: 1, limit: 2, total: null, count: 2, hasMore: true }, null, '/console/x?q=a&page=2', '1–2'],
    [{ page: 1, limit: 2, total: null, count: 2, hasMore: false }, null, null, '1–2'],
  ])('%j', (page, previousUrl, nextUrl, words) => {
    expect(pagerOf(request, { ...page, isSized: false })).toEqual({
      page: page.page,
      previousUrl,
      nextUrl,
      words,
      sizes: [],
    });
  });

  it('have a choice of sizes that begins at the first page, where one page of the smallest is not enough', () => {
    const sized = (total: number) => pagerOf(request, { page: 1, limit: 50, total, count: Math.min(50, total) }).sizes;
    expect(sized(25)).toEqual([]);
    expect(sized(26)).toEqual([
      { label: '25', href: '/console/x?q=a&per_page=25', isCurrent: false },
      { label: '50', href: '/console/x?q=a&per_page=50', isCurrent: true },
      { label: '100', href: '/console/x?q=a&per_page=100', isCurrent: false },
    ]);
    expect(readChosenPage({ page: '3', per_page: '100' })).toEqual({ page: 3, limit: 100 });
    expect(readChosenPage({ per_page: '1000' })).toEqual({ page: 1, limit: 50 });
  });

  it.each([
    ['2', 2],
    ['0', 1],
    ['-1', 1],
    ['1e3', 1],
    ['x', 1],
    ['99999999', 1],
    [['2'], 1],
    [undefined, 1],
  ])('read %j as page %i', (text, page) => expect(readPage(text)).toBe(page));
});

describe('Console navigation', () => {
  const itemsFor = (authority: Partial<Authority>, current: Area | null = null) =>
    navigationFor({ ...NO_AUTHORITY, ...authority }, current).flatMap(({ items }) => items);

  it('shows what the operator may do, and the current page', () => {
    const manager = itemsFor({ appsManaged: new Set(['a']) }, 'invites');
    expect(manager.find(({ isCurrent }) => isCurrent)?.href).toBe('/console/invites');
    for (const path of ['/console/audit', '/console/push']) expect(manager.map(({ href }) => href)).not.toContain(path);
    const appAdmin = itemsFor({ appsAdministered: new Set(['a']) }, 'push');
    expect(appAdmin.find(({ isCurrent }) => isCurrent)?.href).toBe('/console/push');
    const tenantAdmin = itemsFor({ tenants: new Set(['t']) }).map(({ href }) => href);
    expect(tenantAdmin).toContain('/console/tenant');
    expect(tenantAdmin).not.toContain('/console/tenants');
    expect(itemsFor({ platform: true }).map(({ href }) => href)).toContain('/console/tenants');
  });

  it('has no group without entries', () => {
    const headings = navigationFor({ ...NO_AUTHORITY, appsManaged: new Set(['a']) }, null).map(
      ({ heading }) => heading,
    );
    expect(headings).toEqual([null, 'Manage', 'Help']);
  });

  it('shows what waits beside the entry of its area', () => {
    const groups = navigationFor({ ...NO_AUTHORITY, platform: true }, null, { users: '7' });
    const counts = groups.flatMap(({ items }) => items.map(({ label, count }) => [label, count]));
    expect(counts.filter(([, count]) => count !== null)).toEqual([['Users', '7']]);
  });
});
