import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { answerPrefetch } from '../../../../src/common/http/prefetch.js';
import { redirectTo } from '../../../../src/common/http/redirect-to.js';

interface Sent {
  status?: number;
  ended?: true;
  headers: Record<string, string>;
}

/** A response that remembers what was sent. */
function responseTo(method: string): { sent: Sent; response: Response } {
  const sent: Sent = { headers: {} };
  const response = {
    req: { method },
    status: (code: number) => Object.assign(response, void (sent.status = code)),
    setHeader: (name: string, value: string) => Object.assign(response, void (sent.headers[name] = value)),
    end: () => void (sent.ended = true),
  };
  return { sent, response: response as unknown as Response };
}

describe('redirectTo', () => {
  it.each([
    ['GET', 302],
    ['HEAD', 302],
    ['POST', 303],
    ['PUT', 303],
  ])('answers %s with %i, uncached and without a referrer', (method, status) => {
    const { sent, response } = responseTo(method);
    redirectTo(response, '/account');
    const headers = { Location: '/account', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
    expect(sent).toEqual({ status, ended: true, headers });
  });

  it('uses the status that its caller names', () => {
    const { sent, response } = responseTo('GET');
    redirectTo(response, '/account', 303);
    expect(sent.status).toBe(303);
  });
});

describe('answerPrefetch', () => {
  it.each([
    ['HEAD', {}],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['GET', { purpose: 'prefetch' }],
  ])('answers %s with %j by 204, uncached', (method, headers) => {
    const { sent, response } = responseTo(method);
    expect(answerPrefetch({ method, headers } as Request, response)).toBe(true);
    expect(sent).toEqual({ status: 204, ended: true, headers: { 'Cache-Control': 'no-store' } });
  });

  it('passes an ordinary GET on to its route', () => {
    const { sent, response } = responseTo('GET');
    expect(answerPrefetch({ method: 'GET', headers: {} } as Request, response)).toBe(false);
    expect(sent).toEqual({ headers: {} });
  });
});
