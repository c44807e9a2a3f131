import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { headersSetBy } from './headers-set-by.js';
import type { PreparedDocument } from './prepared-document.js';

/** The current document of each path. A controller serves them as well, and declares them public. */
export type DocumentSources = ReadonlyMap<string, () => PreparedDocument>;

/** An answer's head as Node takes it, with room for the request id at its end. */
type Head = string[];

/**
 * Answers plain GET requests for the documents that clients ask for most (keys and discovery) before Express: the way
 * through all middleware and Nest takes twice as long as everything else (docs/decisions/0010). Everything else about
 * these paths (HEAD, conditional requests, queries) goes that way.
 *
 * The headers are those that the middleware sets: it runs once for each version of a document.
 */
export class EarlyDocuments {
  private readonly heads = new WeakMap<PreparedDocument, Head>();

  constructor(
    private readonly sources: DocumentSources,
    private readonly middleware: readonly RequestHandler[],
  ) {}

  /** @returns null where the request is for something else */
  find({ method, url, headers }: IncomingMessage): PreparedDocument | null {
    if (method !== 'GET') return null;
    const source = this.sources.get(url!);
    return source && headers['if-none-match'] === undefined ? source() : null;
  }

  send(request: Request, response: Response, document: PreparedDocument, requestId: string): void {
    request.route = { path: request.url };
    const head = this.heads.get(document) ?? this.prepareHead(request, document);
    head[head.length - 1] = requestId;
    response.writeHead(200, head).end(document.body, 'latin1');
  }

  private prepareHead(request: Request, document: PreparedDocument): Head {
    const common = headersSetBy(this.middleware, { method: 'GET', path: request.url });
    const own = { ...document.headers, 'Content-Length': String(document.body.length) };
    for (const name of ['X-Request-Id', ...Object.keys(own)]) common.delete(name.toLowerCase());
    const head = [...[...common.values()].flat(), ...Object.entries(own).flat(), 'X-Request-Id', ''];
    this.heads.set(document, head);
    return head;
  }
}
