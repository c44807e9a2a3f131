import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import { compressed } from '../streams/compressed.js';
import { mayCompressJson } from '../streams/compression.rules.js';
import { setPresetHeaders, takePresetHeaders } from './preset-headers.js';

/** How late the server may notice that a request took too long to arrive; Node's own is 30 seconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** @returns whether it has answered */
type EarlyHandler = (request: Request, response: Response) => boolean;

/** A route without parameters, with the handler that Nest has made of it: guards, pipes, interceptors and filters. */
export interface ExactRoute {
  readonly path: string;
  readonly handler: RequestHandler;
}

/** @param failed answers what went wrong before a handler */
type RoutesListener = (find: (method: string, path: string) => ExactRoute, failed: ErrorRequestHandler) => void;

/**
 * Nest on Express, without three costs that together were half of an answer's (docs/decisions/0010). Nothing is left
 * out: every request passes Express, its middleware and Nest's guards, pipes and filter.
 *
 * Worth its size as long as the benchmark compares the service with servers that have no framework (`bench/`).
 */
export class LeanExpressAdapter extends ExpressAdapter {
  private readonly early: EarlyHandler[] = [];
  private readonly onceRouted: RoutesListener[] = [];
  /** Handlers of the routes without parameters, by `METHOD path`. They are in Express's router as well. */
  private readonly exact = new Map<string, ExactRoute>();

  /**
   * Node makes requests and answers with the prototypes that Express wants. Otherwise Express changes the prototype of
   * each one, and V8 treats it as a slow dictionary from then on: 0.07 ms a request.
   */
  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions) return super.initHttpServer(options);
    const app = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
      /** Node calls it by itself where the handler has not. */
      override writeHead(...head: unknown[]): this {
        setPresetHeaders(this);
        return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
      }
    }
    app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as Express['request'];
    app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response) as Express['response'];
    this.httpServer = createServer(
      {
        IncomingMessage: ExpressRequest,
        ServerResponse: ExpressResponse,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      },
      (request, response) => {
        const expressRequest = request as unknown as Request;
        const expressResponse = response as unknown as Response;
        if (!this.early.some((answer) => answer(expressRequest, expressResponse))) app(request, response);
      },
    );
  }

  /** @param handler is asked before Express */
  answerEarly(handler: EarlyHandler): void {
    this.early.push(handler);
  }

  /** JSON in one write. Whatever is not plain data on a 200-like answer goes the long way. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const status = statusCode ?? response.statusCode;
    const plain =
      typeof body === 'object' && body !== null && !(body instanceof StreamableFile || body instanceof Error);
    const mayBeBodiless = status === 204 || status === 205 || status === 304 || response.hasHeader('ETag');
    if (!plain || mayBeBodiless || response.hasHeader('Content-Type')) return super.reply(response, body, statusCode!);
    const text = JSON.stringify(body);
    const preset = takePresetHeaders(response);
    if (preset) return writeAtOnce(response, status, preset, text);
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (mayCompressJson(response.req, status, text.length)) return endCompressed(response, text);
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }

  override get(...route: unknown[]): unknown {
    this.note('GET', route);
    return super.get(...(route as Parameters<ExpressAdapter['get']>));
  }

  override post(...route: unknown[]): unknown {
    this.note('POST', route);
    return super.post(...(route as Parameters<ExpressAdapter['post']>));
  }

  /** @param listener is called once, when Nest has declared all routes */
  whenRouted(listener: RoutesListener): void {
    this.onceRouted.push(listener);
  }

  /** The last thing that Nest declares. */
  override setErrorHandler(handler: ErrorRequestHandler, prefix?: string): unknown {
    const find = (method: string, path: string) => {
      const found = this.exact.get(`${method} ${path}`);
      if (!found) throw new Error(`There is no route ${method} ${path}`);
      return found;
    };
    for (const listener of this.onceRouted) listener(find, handler);
    return super.setErrorHandler(handler, prefix);
  }

  /** Express middleware, the last before the router: an exact path finds its handler without trying every route. */
  readonly shortcut: RequestHandler = (request, response, next) => {
    const found = this.exact.get(`${request.method} ${request.path}`);
    if (!found) return next();
    request.route = { path: found.path };
    return found.handler(request, response, next);
  };

  /** The first one counts, as in the router. */
  private note(method: string, [path, handler, ...more]: unknown[]): void {
    if (typeof path !== 'string' || typeof handler !== 'function' || more.length > 0 || !/^[\w./-]+$/.test(path))
      return;
    const key = `${method} ${path}`;
    if (!this.exact.has(key)) this.exact.set(key, { path, handler: handler as RequestHandler });
  }
}

function writeAtOnce(response: Response, status: number, preset: readonly string[], text: string): Response {
  const length = String(Buffer.byteLength(text));
  const own = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length];
  return response.writeHead(status, [...preset, ...own]).end(text);
}

async function endCompressed(response: Response, text: string): Promise<void> {
  const body = await compressed(response, text, true);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
