import type { Request } from 'express';

/**
 * A request that only looks: HEAD (Express runs GET handlers for it) or a browser fetching ahead. Addresses that use
 * something up, or hand out a code, must do nothing for it.
 */
export function isLook(request: Pick<Request, 'method' | 'headers'>): boolean {
  const purpose = request.headers['sec-purpose'] ?? request.headers['purpose'];
  return request.method === 'HEAD' || /prefetch|prerender/i.test(String(purpose ?? ''));
}
