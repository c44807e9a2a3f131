import type { Response } from 'express';

/** Never a redirect that would repeat a body (RFC 9700 section 4.12), never one that is kept. */
export function redirect(response: Response, location: string, status: 302 | 303 = 302): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.status(status).setHeader('Location', location).end();
}

/** For requests that only look: nothing is begun, nothing used up. */
export function lookOnly(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.status(204).end();
}
