import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Response } from 'express';

/** Costs a third of the highest level, for a twentieth more bytes. */
const LEVEL = 5;
const compress = promisify(gzip);

/**
 * The body as it is to be sent, in another thread. Sets the headers for it.
 * @param mayCompress what compression.rules.ts says of this request
 */
export async function compressed(response: Response, text: string, mayCompress: boolean): Promise<Buffer | string> {
  response.vary('Accept-Encoding');
  if (!mayCompress || !response.req.acceptsEncodings('gzip')) return text;
  const body = await compress(text, { level: LEVEL });
  response.setHeader('Content-Encoding', 'gzip');
  return body;
}
