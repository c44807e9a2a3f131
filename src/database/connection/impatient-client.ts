import type { Socket } from 'node:net';
import pg from 'pg';

/** Just below `statement_timeout`, so that a request also ends in time if the server no longer enforces its limit. */
const MAX_SILENCE_MS = 4_900;

/** The server ends a long statement first. */
const AFTER_SERVER_MS = 1_000;

interface Inside {
  readonly readyForQuery: boolean;
  readonly connection: Connection;
}

interface Connection {
  readonly stream: Socket;
  on(event: 'readyForQuery', listener: (message: { readonly status: string }) => void): void;
  on(event: 'errorMessage', listener: (message: { readonly code?: string }) => void): void;
  on(
    event: 'parameterStatus',
    listener: (message: { readonly parameterName: string; readonly parameterValue: string }) => void,
  ): void;
  removeAllListeners(event: 'readyForQuery'): void;
}

/** Status of a connection without a transaction (PostgreSQL protocol, message `ReadyForQuery`). */
const IDLE = 'I';

/** SQLSTATE of a write on a server that is read-only. */
export const READ_ONLY = '25006';

/**
 * A connection that is closed if the server does not respond during a query. The server itself enforces
 * `statement_timeout`, so that limit does not work if the server hangs. The socket is closed instead of only rejecting
 * the query (pg's `query_timeout`), because that would return a connection with an open transaction to the pool.
 *
 * It is also closed if the server is read-only: after a failover, the name of the database may still lead to the old
 * server, which is now a standby. A pool under load would never replace its connections to it.
 */
export class ImpatientClient extends pg.Client {
  private isPatient = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // If a connection is lost just when the pool hands it out, neither the pool nor TypeORM has a listener, and an
    // 'error' event without one ends the process. The next query on the connection fails with the same error.
    this.on('error', () => undefined);
    this.refuseStandby();
    this.once('connect', () => {
      const inside = this as unknown as Inside;
      const { connection } = inside;
      const { stream } = connection;
      // Silence between queries is normal. Each byte sent or received restarts the time limit.
      stream.setTimeout(MAX_SILENCE_MS).on('timeout', () => {
        if (!inside.readyForQuery) stream.destroy(new Error('Query read timeout'));
      });
      // After the listener of pg, which passes the error to the query.
      connection.on('errorMessage', ({ code }) => {
        if (code === READ_ONLY) stream.destroy();
      });
      connection.on('readyForQuery', ({ status }) => {
        if (!this.isPatient || status !== IDLE) return;
        this.isPatient = false;
        stream.setTimeout(MAX_SILENCE_MS);
      });
    });
  }

  /** PostgreSQL reports it with the answer to the connection. A standby also answers reads with old data. */
  private refuseStandby(): void {
    const { connection } = this as unknown as Inside;
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return;
      // The same packet may say that the connection is ready, which would come before the error.
      connection.removeAllListeners('readyForQuery');
      connection.stream.destroy(Object.assign(new Error('The database server is a standby'), { code: READ_ONLY }));
    });
  }

  /**
   * Until the open transaction ends.
   * @param statementMs maximum time of a statement on the server; 0: no limit
   */
  waitLonger(statementMs: number): void {
    this.isPatient = true;
    const { stream } = (this as unknown as Inside).connection;
    stream.setTimeout(statementMs === 0 ? 0 : statementMs + AFTER_SERVER_MS);
  }
}
