import { subscribe } from 'node:diagnostics_channel';
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';

/** The request in undici's diagnostics: of the package, and of Node's own `fetch`. */
interface Outgoing {
  readonly method: string;
  readonly origin: string | URL;
  addHeader(name: string, value: string): void;
}

/**
 * Spans of outgoing requests in traces, with the header `traceparent`. A span contains only the host of the URL,
 * because paths of webhooks and push services are secrets.
 */
export function traceOutgoingRequests(tracer: Tracer): void {
  const spans = new WeakMap<Outgoing, Span>();
  on<{ request: Outgoing }>('undici:request:create', ({ request }) => {
    if (!trace.getActiveSpan()?.isRecording()) return;
    const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes: attributesOf(request) });
    spans.set(request, span);
    propagation.inject(trace.setSpan(context.active(), span), request, {
      set: (to, name, value) => to.addHeader(name, value),
    });
  });
  on<{ request: Outgoing; response: { statusCode: number } }>('undici:request:headers', ({ request, response }) => {
    const span = spans.get(request)?.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode >= 400) fail(span, String(response.statusCode));
  });
  on<{ request: Outgoing }>('undici:request:trailers', ({ request }) => spans.get(request)?.end());
  on<{ request: Outgoing; error: Error & { code?: unknown } }>('undici:request:error', ({ request, error }) => {
    const span = spans.get(request);
    fail(span, typeof error.code === 'string' ? error.code : error.name);
    span?.end();
  });
}

function on<Message>(channel: string, listener: (message: Message) => void): void {
  subscribe(channel, (message) => listener(message as Message));
}

function attributesOf({ method, origin }: Outgoing) {
  const { hostname, port, protocol } = new URL(origin);
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
  };
}

function fail(span: Span | undefined, errorType: string): void {
  span?.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
}
