import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { headersSetBy } from './headers-set-by.js';
import type { PreparedDocument } from './prepared-document.js';

/** The current document of each path. A controller serves it as well, and has the `Public` mark. */
export type DocumentSources = ReadonlyMap<string, () => PreparedDocument>;

/** Headers of an answer as Node takes them, with a place for the request id at the end. */
type Head = string[];

/**
 * Answers plain GET requests for the documents that clients request most (keys and discovery) before Express: all
 * middleware and Nest take twice as long as the rest (docs/decisions/0010). Other requests for these paths (HEAD,
 * conditional requests, queries) go through Express.
 *
 * The headers are those that the middleware sets: it runs once for each version of a document.
 */
export class EarlyDocuments {
  private readonly heads = new WeakMap<PreparedDocument, Head>();

  constructor(
    private readonly sources: DocumentSources,
    private readonly middleware: readonly RequestHandler[],
  ) {}

  /** @returns null if the request is for something else */
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
