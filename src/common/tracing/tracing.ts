import type { RequestHandler } from 'express';

/** Creates spans. Only present if the standard variables of OpenTelemetry enable traces. */
export interface Tracing {
  /** The first middleware: creates a span for each request. */
  readonly requests: RequestHandler;

  /**
   * One attempt of a queued job, as its own trace.
   * @param what kind of work, one of few known values
   */
  attempt<T>(queue: string, what: string, work: () => Promise<T>): Promise<T>;
}

/**
 * The tracing of the process. It is not a Nest provider, because it starts before Nest and also covers the database
 * driver and outgoing requests, which Nest does not create.
 */
export const tracing: { current: Tracing | null } = { current: null };
