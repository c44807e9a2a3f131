import type { Request, Response } from 'express';

/** Whether the request only reads (HEAD, prefetch of a browser): it must not use up a code or link in the URL. */
export function isPrefetch({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return method === 'HEAD' || purposes.some((purpose) => /prefetch|prerender|preview/i.test(String(purpose ?? '')));
}

/**
 * Answers a prefetch with 204 and no cache entry, so that it starts nothing, uses up nothing and returns no secret.
 * @returns whether it was a prefetch, which is now answered
 */
export function answerPrefetch(request: Request, response: Response): boolean {
  if (!isPrefetch(request)) return false;
  response.setHeader('Cache-Control', 'no-store');
  response.status(204).end();
  return true;
}
