import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowReaderLimits {
  /** As long as a client may take nothing of an answer, in milliseconds. Not the time of `keepAliveTimeout`. */
  readonly idleMs: number;
  /** Of all connections together. */
  readonly maxUnreadBytes: number;
  readonly checkMs: number;
}

/** The bytes are far more than clients that read at an ordinary speed leave unread. */
const LIMITS: SlowReaderLimits = { idleMs: 60_000, maxUnreadBytes: 128 * 1024 * 1024, checkMs: 1_000 };

interface Reader {
  /** The answer to the last request. Forgotten soon after it is sent, so that idle connections hold none. */
  latest: ServerResponse | null;
  /** Answers to pipelined requests, which wait without a socket until the answer before them is sent. */
  readonly pipelined: Set<ServerResponse>;
}

/**
 * Bounds the memory for answers that clients have not read, whatever the route. A client that reads nothing for a minute is
 * disconnected. If the clients of the process together leave more than `maxUnreadBytes` unread, those with the most unread
 * bytes are disconnected. An answer that is still being made may take longer: nothing of it is unread.
 *
 * Connections are looked at once a second, so that an ordinary request needs no timer and no listener. With
 * `server.timeout`, Node would set two timers for each request.
 */
export function closeSlowReaders(server: Server, limits: Partial<SlowReaderLimits> = {}): void {
  const { idleMs, maxUnreadBytes, checkMs } = { ...LIMITS, ...limits };
  if (server.keepAliveTimeout === idleMs) throw new Error('The time of idle connections must differ');
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { latest: null, pipelined: new Set() });
    socket.once('close', () => readers.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const reader = readers.get(socket);
    if (!reader) return;
    if (isUnfinished(reader.latest)) {
      reader.pipelined.add(response);
      response.once('close', () => reader.pipelined.delete(response));
    }
    reader.latest = response;
  });
  const timer = setInterval(() => {
    for (const [socket, reader] of readers) {
      limitIdleTime(socket, idleMs);
      if (!isUnfinished(reader.latest)) reader.latest = null;
    }
    limitUnread(readers, maxUnreadBytes);
  }, checkMs).unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * While something of the answer is sent, the time starts again (Node looks when it ends, so it may last twice as long). At
 * its end the server closes the connection. When everything is sent, the server sets the time of an idle connection itself.
 */
function limitIdleTime(socket: Socket, idleMs: number): void {
  const isLimited = socket.timeout === idleMs;
  if (socket.writableLength > 0 && !isLimited) socket.setTimeout(idleMs);
  if (socket.writableLength === 0 && isLimited) socket.setTimeout(0);
}

function isUnfinished(response: ServerResponse | null): boolean {
  return response !== null && !response.writableFinished;
}

function limitUnread(readers: ReadonlyMap<Socket, Reader>, maxBytes: number): void {
  const unread = [...readers].map(([socket, reader]) => ({ socket, bytes: unreadBytes(socket, reader) }));
  let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return;
  for (const { socket, bytes } of unread.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= maxBytes) return;
    total -= bytes;
    socket.destroy();
  }
}

function unreadBytes(socket: Socket, { pipelined }: Reader): number {
  let bytes = socket.writableLength;
  for (const response of pipelined) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}
