import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { ClientGone } from './closing-of.js';

/** A file to be sent. It has been authorized and recorded in the audit log, and nothing of it has been read yet. */
export interface StreamedFile {
  readonly fileName: string;
  readonly contentType: string;
  /** The text in pieces. It must be read or returned, because it may hold resources. */
  readonly chunks: AsyncGenerator<string>;
  /** Maximum time of the download; default: 15 minutes. */
  readonly longestMs?: number;
}

/**
 * Default of the maximum time of a download: a client that reads slowly on purpose must not hold a place and a database snapshot
 * without end. One that reads nothing is closed earlier: see `closeSlowReaders`.
 */
const MAX_MS = 15 * 60_000;
const ENDED_BY_CLIENT_OR_LIMIT = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/**
 * Streams a file as a download. A failure before the first piece is an ordinary error. A failure after it closes the
 * connection, so that the client does not mistake half a file for a complete one. The generator is always returned,
 * even if the client disconnects before the first byte.
 */
export async function sendFile(response: Response, file: StreamedFile): Promise<void> {
  // Always started: `return` on a generator that was never started does not run its `finally`.
  const first = await file.chunks.next();
  try {
    await send(response, file, first);
  } finally {
    await file.chunks.return(undefined);
  }
}

async function send(
  response: Response,
  { fileName, contentType, chunks, longestMs = MAX_MS }: StreamedFile,
  first: IteratorResult<string>,
): Promise<void> {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  response.setHeader('Cache-Control', 'no-store');
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(withFirst(first, chunks), response, { signal: AbortSignal.timeout(longestMs) });
  } catch (error) {
    // The connection is closed, so no error can be sent.
    if (error instanceof ClientGone) return;
    if (!ENDED_BY_CLIENT_OR_LIMIT.has((error as { code?: string }).code ?? '')) throw error;
  }
}

/** If the consumer stops before `rest` is started, `rest` is not returned. */
async function* withFirst(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
