import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Spans of requests, named by route pattern. They contain no path, query, address, user agent or user: paths contain
 * invite codes, queries contain tokens.
 * @param trustsCallers whether a `traceparent` of the request is used: it comes through the operator's own proxy
 */
export function requestSpans(tracer: Tracer, trustsCallers: boolean): RequestHandler {
  return (request: Request & { id?: unknown }, response: Response, next: NextFunction): void => {
    const parent = trustsCallers ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT;
    const span = begin(tracer, request, parent);
    response.once('close', () => end(span, request, response));
    context.with(trace.setSpan(parent, span), next);
  };
}

function begin(tracer: Tracer, { method, protocol, id }: Request & { id?: unknown }, parent: Context): Span {
  const attributes = { 'http.request.method': method, 'url.scheme': protocol, request_id: String(id) };
  return tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
}

function end(span: Span, { method, route }: Request, { statusCode, writableFinished }: Response): void {
  const path = (route as { path?: unknown } | undefined)?.path;
  if (typeof path === 'string') span.updateName(`${method} ${path}`).setAttribute('http.route', path);
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) fail(span, String(statusCode));
  else if (!writableFinished) fail(span, 'client_disconnected');
  span.end();
}

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
}
