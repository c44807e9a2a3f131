import type { Request, Response } from 'express';

/** A request that only looks (HEAD, a browser's prefetch): it must use nothing up, whatever the address says. */
export function isPrefetch({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return method === 'HEAD' || purposes.some((purpose) => /prefetch|prerender|preview/i.test(String(purpose ?? '')));
}

/**
 * Answers a prefetch with 204 and no cache entry, so that nothing is begun, used up or handed out.
 * @returns whether it was one: the response has been sent then
 */
export function answerPrefetch(request: Request, response: Response): boolean {
  if (!isPrefetch(request)) return false;
  response.setHeader('Cache-Control', 'no-store');
  response.status(204).end();
  return true;
}
