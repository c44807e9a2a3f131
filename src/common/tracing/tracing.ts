import type { RequestHandler } from 'express';

/** Makes spans. There is one only if the standard variables of OpenTelemetry ask for traces. */
export interface Tracing {
  /** The first middleware: a span for each request. */
  readonly requests: RequestHandler;

  /**
   * One attempt at a row of a queue, as its own trace.
   * @param what the kind of work, of few and known values
   */
  attempt<T>(queue: string, what: string, work: () => Promise<T>): Promise<T>;
}

/**
 * The tracing of the process. It is no provider of Nest's, because it begins before Nest and also sees what Nest does not
 * build: the driver of the database and outgoing requests.
 */
export const tracing: { current: Tracing | null } = { current: null };
