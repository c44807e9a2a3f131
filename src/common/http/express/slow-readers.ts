import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** As long as a reader may take nothing of an answer. */
const IDLE_MS = 60_000;
const CHECK_MS = 1_000;
/** Far more than clients that read at an ordinary speed leave unread. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/**
 * Bounds the memory for answers that clients have not read, whatever the route. A client that reads nothing for a minute is
 * disconnected. If the clients of the process together leave more than `maxUnreadBytes` unread, those that take longest
 * are disconnected. An answer that is still being made may take longer: nothing of it is unread, and its first byte starts
 * the minute again.
 */
export function closeSlowReaders(server: Server, maxUnreadBytes = MAX_UNREAD_BYTES): void {
  const sockets = new Set<Socket>();
  const readers = new SlowReaders();
  server.timeout = IDLE_MS;
  server.on('request', (_, response) => {
    response.on('timeout', (socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(() => readers.limit(sockets, maxUnreadBytes), CHECK_MS).unref();
  server.once('close', () => clearInterval(timer));
}

/** The connections with unread bytes at the last check, in the order in which they were first seen with some. */
class SlowReaders {
  private readonly seen = new Set<Socket>();

  limit(sockets: ReadonlySet<Socket>, maxBytes: number): void {
    let unread = 0;
    for (const socket of sockets) {
      unread += socket.writableLength;
      if (socket.writableLength > 0) this.seen.add(socket);
    }
    for (const socket of this.seen) {
      if (socket.destroyed || socket.writableLength === 0) this.seen.delete(socket);
      else if (unread > maxBytes) {
        unread -= socket.writableLength;
        socket.destroy();
      }
    }
  }
}
