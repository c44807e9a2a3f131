import type { Response } from 'express';

/** Never a redirect that would repeat a body (RFC 9700 section 4.12), never one that is cached. */
export function redirect(response: Response, location: string, status: 302 | 303 = 302): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.status(status).setHeader('Location', location).end();
}

/** For HEAD and prefetches: nothing is started, nothing is used up. */
export function lookOnly(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.status(204).end();
}
