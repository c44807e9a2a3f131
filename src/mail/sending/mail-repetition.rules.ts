const FIRST_PAUSE_SECONDS = 300;
const MAX_PAUSE_SECONDS = 3_600;

/** Errors of a connection that was never established, so nothing was sent. */
const NOT_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connection timeout|Greeting never/;
const BROKEN = new Set(['ECONNECTION', 'ESOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * Whether the server may have accepted the mail: it closed the connection without an answer. A server that fails after
 * DATA keeps what it received (RFC 5321 section 6.1), so a mail that is repeated at once would arrive many times.
 */
export function mayHaveBeenSent(error: unknown): boolean {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  if (responseCode !== undefined || NOT_CONNECTED.test(message ?? '')) return false;
  return BROKEN.has(code ?? '');
}

/** Minutes instead of seconds: five, doubled each time, up to an hour. `attempt` counts from 1. */
export function secondsUntilRepetition(attempt: number): number {
  return Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), MAX_PAUSE_SECONDS);
}
