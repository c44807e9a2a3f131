import { context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import pg from 'pg';

const MAX_TEXT_LENGTH = 2_000;

type Callback = (error: Error | null, ...rest: unknown[]) => void;
type Query = (this: pg.Client, ...given: unknown[]) => unknown;
type Connect = (this: pg.Pool, callback?: (...connected: unknown[]) => void) => unknown;

/**
 * Spans of SQL statements in traces. Their text contains placeholders instead of values. Error messages contain values,
 * so only the SQLSTATE is recorded. Statements outside of traces (heartbeats, sweeps) have no spans.
 */
export function traceStatements(tracer: Tracer): void {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const query = prototype.query;
  prototype.query = function (...given) {
    const statement = statementOf(given[0]);
    if (statement === null || !trace.getActiveSpan()?.isRecording()) return query.apply(this, given);
    const span = tracer.startSpan(nameOf(statement), { kind: SpanKind.CLIENT, attributes: attributesOf(statement) });
    const place = given.findIndex((each) => typeof each === 'function');
    if (place >= 0) given[place] = endingWith(span, given[place] as Callback);
    const result = query.apply(this, given);
    if (place < 0)
      void (result as Promise<unknown>).then(
        () => span.end(),
        (error: Error) => end(span, error),
      );
    return result;
  };
  keepContextWhileWaiting();
}

/** The pool hands a connection to a waiting request inside the request that returned it, so in the wrong trace. */
function keepContextWhileWaiting(): void {
  const prototype = pg.Pool.prototype as unknown as { connect: Connect };
  const connect = prototype.connect;
  prototype.connect = function (callback) {
    return connect.call(this, callback && context.bind(context.active(), callback));
  };
}

interface Described {
  readonly text: string;
  readonly name: string | undefined;
}

/** Null for anything but a plain statement, such as a cursor. */
function statementOf(given: unknown): Described | null {
  if (typeof given === 'string') return { text: given, name: undefined };
  const { text, name, submit } = (given ?? {}) as { text?: unknown; name?: string; submit?: unknown };
  return typeof text === 'string' && typeof submit !== 'function' ? { text, name } : null;
}

function operationOf(text: string): string {
  return /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'STATEMENT';
}

function nameOf({ text, name }: Described): string {
  return name === undefined ? operationOf(text) : `${operationOf(text)} ${name}`;
}

function attributesOf({ text }: Described) {
  return {
    'db.system.name': 'postgresql',
    'db.operation.name': operationOf(text),
    'db.query.text': text.slice(0, MAX_TEXT_LENGTH),
  };
}

function endingWith(span: Span, callback: Callback): Callback {
  return context.bind(context.active(), (error, ...rest) => {
    end(span, error);
    callback(error, ...rest);
  });
}

function end(span: Span, error: (Error & { code?: unknown }) | null | undefined): void {
  if (error) {
    const state = typeof error.code === 'string' ? error.code : error.name;
    span.setAttribute('error.type', state).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
