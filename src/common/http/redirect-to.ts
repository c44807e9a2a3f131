import type { Response } from 'express';

/**
 * Sends a redirect from a page: never cached, without a body, and without a Referer, because the current address may
 * contain a code or a token.
 * @param status by default 302 after GET and 303 after other methods, so that no browser repeats a body with
 * credentials (RFC 9700 section 4.12)
 */
export function redirectTo(response: Response, location: string, status: 302 | 303 = statusAfter(response)): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.status(status).setHeader('Location', inAscii(location)).end();
}

/** A header allows only ASCII (RFC 9110 section 5.5), and a registered address may contain other characters. */
export function inAscii(address: string): string {
  if (/^[\x21-\x7e]*$/.test(address)) return address;
  if (/^https?:/i.test(address)) return new URL(address).href;
  return address.replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

function statusAfter({ req: { method } }: Response): 302 | 303 {
  return method === 'GET' || method === 'HEAD' ? 302 : 303;
}
