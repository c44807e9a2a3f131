// The messages must be checked again with each new version of pg.

/** Errors of the socket to the database: connection lost, refused or not possible. */
const UNAVAILABLE_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/**
 * PostgreSQL's error classes 08 (connection), 53 (insufficient resources), 57P (operator intervention) and 58 (system
 * error); and serialization failure, deadlock, read-only after a failover, and the three time limits (idle in
 * transaction, statement, lock).
 */
const UNAVAILABLE_STATE = /^(?:08...|53...|57P..|58...|40001|40P01|25006|25P03|57014|55P03)$/;
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Connection ended unexpectedly|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|connection is closed|Cannot use a pool after calling end/i;
/** The part of them that means: the server closed the connection, or its socket broke. */
const CUT = new Set(['57P01', '08006', 'ECONNRESET', 'EPIPE']);
const CUT_MESSAGES = /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/;

/** Whether the database cannot answer now, so that the caller may try again. */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause = error, depth = 0; typeof cause === 'object' && cause !== null && depth < 4; depth++) {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    if (typeof code === 'string' && (UNAVAILABLE_SOCKET.has(code) || UNAVAILABLE_STATE.test(code))) return true;
    if (typeof message === 'string' && UNAVAILABLE_MESSAGES.test(message)) return true;
    cause = (cause as { driverError?: unknown; cause?: unknown }).driverError ?? (cause as { cause?: unknown }).cause;
  }
  return false;
}

/** Whether the server or the network has closed a connection that was open. @param error of the driver */
export function isConnectionCut(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (typeof code === 'string' && CUT.has(code)) || (typeof message === 'string' && CUT_MESSAGES.test(message));
}
