import type { Request } from 'express';

/** A request that only looks (HEAD, a browser's prefetch): it must use nothing up, whatever the address says. */
export function isLook({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return method === 'HEAD' || purposes.some((purpose) => /prefetch|prerender|preview/i.test(String(purpose ?? '')));
}
