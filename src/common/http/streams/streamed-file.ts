import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { ClientGone } from './closing-of.js';

/** A file to be sent. It has been authorised and recorded in the audit log; none of it has been read yet. */
export interface StreamedFile {
  readonly fileName: string;
  readonly contentType: string;
  /** The text in pieces. Must be read, or returned: it may hold what reading it needs. */
  readonly chunks: AsyncGenerator<string>;
}

/** A reader that takes nothing for so long has gone. */
const IDLE_MS = 60_000;
/** Of a whole download: one that is read slowly on purpose must not hold a place and a database snapshot for ever. */
const LONGEST_MS = 15 * 60_000;
const ENDED_BY_CLIENT_OR_LIMIT = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/**
 * Streams a file as a download. What fails before the first piece is an ordinary error; after it the connection is
 * cut, so that the client's own reader fails instead of taking half a file for a whole one. The source is returned
 * whatever happens, also where the client hung up before anything was written.
 */
export async function sendFile(response: Response, file: StreamedFile, longestMs = LONGEST_MS): Promise<void> {
  // Begun in any case: to return a generator that was never begun runs nothing of it.
  const first = await file.chunks.next();
  try {
    await send(response, file, first, longestMs);
  } finally {
    await file.chunks.return(undefined);
  }
}

async function send(
  response: Response,
  { fileName, contentType, chunks }: StreamedFile,
  first: IteratorResult<string>,
  longestMs: number,
): Promise<void> {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  response.setHeader('Cache-Control', 'no-store');
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(IDLE_MS);
  try {
    await pipeline(withFirst(first, chunks), response, { signal: AbortSignal.timeout(longestMs) });
  } catch (error) {
    // The connection is closed, so no error can be sent.
    if (error instanceof ClientGone) return;
    if (!ENDED_BY_CLIENT_OR_LIMIT.has((error as { code?: string }).code ?? '')) throw error;
  }
}

/** Where it is left before `rest` is begun, `rest` is not returned. */
async function* withFirst(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
