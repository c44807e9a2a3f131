import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Export } from './export.service.js';

/** A reader that takes nothing for so long has gone. */
const IDLE_MS = 60_000;

/**
 * Streams a document as a download. What fails before the first piece is an ordinary error; after it the connection is
 * cut, so that the client's own reader fails instead of taking half a document for a whole one.
 */
export async function sendExport(response: Response, { fileName, chunks }: Export): Promise<void> {
  const first = await chunks.next();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  response.setHeader('Cache-Control', 'no-store');
  if (response.req.method === 'HEAD') {
    await chunks.return(undefined);
    response.end();
    return;
  }
  response.setTimeout(IDLE_MS);
  try {
    await pipeline(withFirst(first, chunks), response);
  } catch (error) {
    // The client has disconnected, so no error can be sent.
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* withFirst(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
