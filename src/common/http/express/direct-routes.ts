import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { parse } from 'qs';
import { headersSetBy } from './headers-set-by.js';
import type { ExactRoute } from './lean-express-adapter.js';
import { presetHeaders } from './preset-headers.js';
import { normalizeOAuthForms } from '../bodies/oauth-forms.js';
import { refusalOfBody } from '../bodies/parser-errors.js';

/** Much more than a request with a refresh token or an access token needs. Larger requests go through Express. */
const MAX_BYTES = 8_192;
/** The same limit as that of the form parser in Express. */
const MAX_PARAMETERS = 1_000;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/**
 * By path: a function that returns a 200 answer if it can do so with the body and data in memory, or null if the
 * handler must decide. Only for public routes, because it runs before the guards.
 */
export type QuickResponses = ReadonlyMap<string, (body: unknown) => object | null>;

interface DirectRoute extends ExactRoute {
  readonly quickAnswer: ((body: unknown) => object | null) | undefined;
  /** Names and values alternate. */
  readonly headers: readonly string[];
}

/**
 * Passes plain POST requests of the busiest routes to their handler without Express and its middleware, which take
 * longer than the handler (docs/decisions/0010). The handler is the one that Nest made, so guards, pipes, interceptors
 * and filters run as always. The answer has the headers that the middleware sets.
 *
 * A few requests are answered without Nest as well: see {@link QuickResponses}.
 *
 * Plain means a short form or JSON, without cookies, DPoP proof or encodings. All other requests go through Express.
 */
export class DirectRoutes {
  private readonly routes = new Map<string, DirectRoute>();

  constructor(
    routes: readonly ExactRoute[],
    middleware: readonly RequestHandler[],
    private readonly failed: ErrorRequestHandler,
    private readonly reply: (response: Response, body: object, status: number) => unknown,
    quickAnswers: QuickResponses = new Map(),
  ) {
    for (const { path, handler } of routes) {
      const headers = headersSetBy(middleware, { method: 'POST', path });
      headers.delete('x-request-id');
      this.routes.set(path, {
        path,
        handler,
        headers: [...headers.values()].flat(),
        quickAnswer: quickAnswers.get(path),
      });
    }
  }

  /** Decides by the request line and headers only: the body has not been read yet. */
  find({ method, url, headers }: IncomingMessage): DirectRoute | null {
    if (method !== 'POST') return null;
    const route = this.routes.get(url!);
    return route && isPlain(headers) ? route : null;
  }

  /** Reads the body and answers. */
  answer(request: Request, response: Response, route: DirectRoute, requestId: string): void {
    prepare(request, response, route);
    presetHeaders(response, [...route.headers, 'X-Request-Id', requestId]);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        request.body = readBody(request.headers['content-type']!, chunks);
      } catch (error) {
        return void this.failed(refusalOfBody(error), request, response, ignore);
      }
      normalizeOAuthForms(request, response, ignore);
      const quick = quickAnswer(route, request.body);
      if (quick) return void this.reply(response, quick, 200);
      void route.handler(request, response, ignore);
    });
  }
}

/** An error here occurs in the handler again, whose filter answers it. */
function quickAnswer(route: DirectRoute, body: unknown): object | null {
  try {
    return route.quickAnswer?.(body) ?? null;
  } catch {
    return null;
  }
}

function isPlain(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  const length = Number(headers['content-length']);
  return (
    (type === FORM || type === JSON_TYPE) &&
    length > 0 &&
    length <= MAX_BYTES &&
    headers['content-encoding'] === undefined &&
    headers.cookie === undefined &&
    headers['dpop'] === undefined
  );
}

/** Adds the properties that Express and the cookie parser would add. */
function prepare(request: Request, response: Response, { path }: DirectRoute): void {
  request.res = response;
  request.next = ignore;
  request.cookies = {};
  request.route = { path };
  response.locals = {};
}

/** @throws if the body is not valid JSON, or has too many parameters */
function readBody(type: string, chunks: readonly Buffer[]): unknown {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const text = withoutByteOrderMark(bytes.toString());
  if (type === JSON_TYPE) return JSON.parse(text);
  const count = text.split('&').length;
  if (count > MAX_PARAMETERS) throw new SyntaxError('Too many parameters');
  return parse(text, { allowPrototypes: true, arrayLimit: count, depth: 0, parameterLimit: MAX_PARAMETERS });
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function ignore(): void {
  // The handlers here send their answers themselves, including refusals.
}
