import type { Socket } from 'node:net';
import pg from 'pg';

/** Just below `statement_timeout`, so that a request also ends in time when the server no longer enforces its limit. */
const MAX_SILENCE_MS = 4_900;

interface Inside {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Socket };
}

/**
 * A connection that is given up when the server falls silent in the middle of a query: `statement_timeout` is kept by
 * the server, and one that hangs keeps nothing. The socket is closed instead of only the query being refused (pg's
 * `query_timeout`), because that would hand back to the pool a connection with an open transaction.
 */
export class ImpatientClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // When a connection is cut in the moment in which the pool hands it out, neither the pool nor TypeORM listens, and an
    // 'error' event without a listener ends the process. The next query on the connection fails with the same error.
    this.on('error', () => undefined);
    this.once('connect', () => {
      const inside = this as unknown as Inside;
      const { stream } = inside.connection;
      // Between queries silence means nothing; each byte sent or received restarts the time limit.
      stream.setTimeout(MAX_SILENCE_MS).on('timeout', () => {
        if (!inside.readyForQuery) stream.destroy(new Error('Query read timeout'));
      });
    });
  }
}
