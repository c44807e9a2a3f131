import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** As long as a reader may take nothing of an answer. */
const IDLE_MS = 60_000;
const CHECK_MS = 1_000;
/** Far more than clients that read at an ordinary speed leave unread. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/**
 * Bounds the memory for answers that clients have not read, whatever the route. A client that reads nothing for a minute is
 * disconnected. If the clients of the process together leave more than `maxUnreadBytes` unread, those with the most unread
 * bytes are disconnected. An answer that is still being made may take longer: nothing of it is unread, and its first byte
 * starts the minute again.
 */
export function closeSlowReaders(server: Server, maxUnreadBytes = MAX_UNREAD_BYTES): void {
  const readers = new Map<Socket, Set<ServerResponse>>();
  server.timeout = IDLE_MS;
  server.on('connection', (socket: Socket) => {
    readers.set(socket, new Set());
    socket.once('close', () => readers.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
    const responses = readers.get(request.socket);
    responses?.add(response);
    response.once('close', () => responses?.delete(response));
  });
  const timer = setInterval(() => limitUnread(readers, maxUnreadBytes), CHECK_MS).unref();
  server.once('close', () => clearInterval(timer));
}

function limitUnread(readers: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>, maxBytes: number): void {
  const unread = [...readers].map(([socket, responses]) => ({ socket, bytes: unreadBytes(socket, responses) }));
  let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return;
  for (const { socket, bytes } of unread.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= maxBytes) return;
    total -= bytes;
    socket.destroy();
  }
}

/** Answers to pipelined requests wait without a socket until the answer before them is sent. */
function unreadBytes(socket: Socket, responses: ReadonlySet<ServerResponse>): number {
  let bytes = socket.writableLength;
  for (const response of responses) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}
