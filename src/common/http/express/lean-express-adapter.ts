import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import { compressed } from '../streams/compressed.js';
import { mayCompressJson } from '../streams/compression.rules.js';
import { setPresetHeaders, takePresetHeaders } from './preset-headers.js';

/** Interval at which the server checks for requests that take too long to arrive; Node's default is 30 seconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** @returns whether it has answered the request */
type EarlyHandler = (request: Request, response: Response) => boolean;

/** A route without parameters, with the handler that Nest made of it: guards, pipes, interceptors and filters. */
export interface ExactRoute {
  readonly path: string;
  readonly handler: RequestHandler;
}

/** @param failed answers errors that occur before a handler */
type RoutesListener = (find: (method: string, path: string) => ExactRoute, failed: ErrorRequestHandler) => void;

/**
 * Nest on Express, without three costs that together were half of the time of an answer (docs/decisions/0010). Nothing
 * is skipped: every request that {@link answerEarly} does not take passes Express, its middleware and Nest's guards,
 * pipes and filter.
 *
 * Its size is justified as long as the benchmark compares the service with servers without a framework (`bench/`).
 */
export class LeanExpressAdapter extends ExpressAdapter {
  private readonly early: EarlyHandler[] = [];
  private readonly onceRouted: RoutesListener[] = [];
  /** Handlers of the routes without parameters, by `METHOD path`. Express's router has them too. */
  private readonly exact = new Map<string, ExactRoute>();

  /**
   * Makes Node create requests and responses with the prototypes that Express needs. Otherwise Express changes the
   * prototype of each object, and V8 then treats it as a slow dictionary: 0.07 ms per request.
   */
  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions) return super.initHttpServer(options);
    const app = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
      /** Node calls it itself if the handler has not. */
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

  /** @param handler called before Express */
  answerEarly(handler: EarlyHandler): void {
    this.early.push(handler);
  }

  /**
   * Writes JSON at once, with any status. Anything but plain data uses the original method, and so does an answer that
   * may have no body (204, 205, 304, or an ETag) or has a Content-Type.
   */
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

  /** @param listener called once, when Nest has registered all routes */
  whenRouted(listener: RoutesListener): void {
    this.onceRouted.push(listener);
  }

  /** Nest registers the error handler last. */
  override setErrorHandler(handler: ErrorRequestHandler, prefix?: string): unknown {
    const find = (method: string, path: string) => {
      const found = this.exact.get(`${method} ${path}`);
      if (!found) throw new Error(`There is no route ${method} ${path}`);
      return found;
    };
    for (const listener of this.onceRouted) listener(find, handler);
    return super.setErrorHandler(handler, prefix);
  }

  /** Express middleware, the last before the router: finds the handler of an exact path without trying every route. */
  readonly shortcut: RequestHandler = (request, response, next) => {
    const found = this.exact.get(`${request.method} ${request.path}`);
    if (!found) return next();
    request.route = { path: found.path };
    return found.handler(request, response, next);
  };

  /** The first registration counts, as in the router. */
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
