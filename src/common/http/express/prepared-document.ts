import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** A public JSON document, ready to send: the same for every caller, cacheable for an hour. */
export interface PreparedDocument {
  /** Only ASCII: a string is sent in one write together with the headers, bytes need two. */
  readonly body: string;
  readonly headers: Readonly<Record<'Content-Type' | 'Cache-Control' | 'ETag', string>>;
}

export function prepareDocument(document: object): PreparedDocument {
  const body = JSON.stringify(document).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return {
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    },
  };
}

/** Also answers conditional requests (RFC 9110, section 13.1.2) and HEAD. */
export function sendDocument(request: Request, response: Response, { body, headers }: PreparedDocument): void {
  if (isHeld(request.headers['if-none-match'], headers.ETag)) response.writeHead(304, headers).end();
  else
    response
      .writeHead(200, { ...headers, 'Content-Length': body.length })
      .end(request.method === 'HEAD' ? undefined : body, 'latin1');
}

/**
 * Weak comparison, because a proxy that compresses the answer makes the tag weak. The service's own tags contain no
 * comma.
 */
function isHeld(condition: string | undefined, tag: string): boolean {
  const held = condition?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return held.includes(tag) || condition?.trim() === '*';
}
