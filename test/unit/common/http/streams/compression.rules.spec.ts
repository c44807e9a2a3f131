import { describe, expect, it } from '@jest/globals';
import { mayCompressJson, mayCompressPage } from '../../../../../src/common/http/streams/compression.rules.js';

const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', cookie: 'a=b' };
const page = (headers: Record<string, string> = {}, { method = 'GET', originalUrl = '/console/', status = 200 } = {}) =>
  mayCompressPage({ method, originalUrl, headers: { ...OWN, ...headers } }, status, 5_000);
const json = (headers: Record<string, string>, method = 'GET', status = 200) =>
  mayCompressJson({ method, originalUrl: '/admin/users', headers }, status, 5_000);

describe('Pages that may be compressed', () => {
  it('are those that the user or a page of ours opened', () => {
    expect([page(), page({ 'sec-fetch-site': 'none' }), page({ 'sec-fetch-dest': 'empty' })]).toEqual([
      true,
      true,
      true,
    ]);
    for (const site of ['cross-site', 'same-site', ''])
      expect([site, page({ 'sec-fetch-site': site })]).toEqual([site, false]);
    for (const destination of ['image', 'iframe', 'script', ''])
      expect([destination, page({ 'sec-fetch-dest': destination })]).toEqual([destination, false]);
    expect(mayCompressPage({ method: 'GET', originalUrl: '/console/', headers: {} }, 200, 5_000)).toBe(false);
  });

  it('repeat nothing of the request', () => {
    expect(page({}, { originalUrl: '/console/users?q=guess' })).toBe(false);
    expect(page({}, { method: 'POST' })).toBe(false);
    for (const status of [400, 404, 422, 500]) expect([status, page({}, { status })]).toEqual([status, false]);
  });

  it('are longer than a packet', () => {
    expect(mayCompressPage({ method: 'GET', originalUrl: '/console/', headers: OWN }, 200, 999)).toBe(false);
  });
});

describe('JSON that may be compressed', () => {
  it('answers a GET of a bearer token, or one without cookies', () => {
    expect([json({}), json({ authorization: 'Bearer x' }), json({ authorization: 'Bearer x', cookie: 'a=b' })]).toEqual(
      [true, true, true],
    );
    expect([json({ cookie: 'a=b' }), json({}, 'POST'), json({}, 'GET', 404)]).toEqual([false, false, false]);
  });
});
