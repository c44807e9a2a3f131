import { describe, expect, it } from '@jest/globals';
import {
  MAX_BODY_BYTES,
  isLargeBody,
  isOrdinaryJson,
  kindOfLargeBody,
} from '../../../../../src/common/http/bodies/large-bodies.js';

const request = (url: string, headers: Record<string, string>, method = 'POST') =>
  ({ url, method, headers: { 'content-type': 'application/json', ...headers } }) as never;

describe('Request body', () => {
  it.each([
    ['beyond the limit, to an import', '/admin/apps/import', { 'content-length': String(MAX_BODY_BYTES + 1) }],
    ['to a batch of notifications', '/push/send/batch', { 'content-length': String(MAX_BODY_BYTES + 1) }],
    ['with a query', '/admin/tenants/import?dry_run=true', { 'content-length': String(MAX_BODY_BYTES + 1) }],
    ['without a length', '/admin/apps/import', { 'transfer-encoding': 'chunked' }],
    ['packed', '/admin/apps/import', { 'content-length': '100', 'content-encoding': 'gzip' }],
    ['with a length that is none', '/admin/apps/import', { 'content-length': 'many' }],
  ])('%s is read only after the caller is authenticated', (_, url, headers) => {
    expect([isLargeBody(request(url, headers)), isOrdinaryJson(request(url, headers))]).toEqual([true, false]);
  });

  it.each([
    ['within the limit', '/admin/apps/import', { 'content-length': String(MAX_BODY_BYTES) }],
    ['to another route', '/admin/apps', { 'content-length': '33554432' }],
    ['to another spelling', '/admin/apps/import/', { 'content-length': '33554432' }],
    ['to another spelling of letters', '/admin/apps/imp%6frt', { 'content-length': '33554432' }],
  ])('%s is read as usual', (_, url, headers) => {
    expect([isLargeBody(request(url, headers)), isOrdinaryJson(request(url, headers))]).toEqual([false, true]);
  });

  it('is of the kind that its path says', () => {
    const urls = ['/admin/apps/import?dry_run=true', '/admin/tenants/import', '/push/send/batch', '/push/send'];
    expect(urls.map((url) => kindOfLargeBody({ url }))).toEqual(['imports', 'imports', 'batches', null]);
  });

  it('of another type or method is neither large nor delayed', () => {
    const form = request('/admin/apps/import', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([isLargeBody(form), isOrdinaryJson(form)]).toEqual([false, false]);
    expect(isLargeBody(request('/admin/apps/import', {}, 'PUT'))).toBe(false);
  });
});
