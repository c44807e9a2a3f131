import type { Server } from 'node:http';

/** As long as a reader may take nothing of an answer. */
const IDLE_MS = 60_000;

/**
 * Closes the connection of a client that reads nothing of its answer for a minute, whatever the route: the process would
 * keep the rest of the answer in memory for as long as the client likes. An answer that is still being made has no rest,
 * so it may take longer; its first byte starts the minute again.
 */
export function closeIdleReaders(server: Server): void {
  server.timeout = IDLE_MS;
  server.on('request', (_, response) => {
    response.on('timeout', (socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
  });
}
