/** SQLSTATE "connection failure", by which the error filter recognizes that the database is unavailable. */
const CONNECTION_FAILURE = '08006';

/** The connection was lost while its transaction was open. PostgreSQL rolls the transaction back. */
export class ConnectionLost extends Error {
  readonly code = CONNECTION_FAILURE;

  constructor(cause: unknown) {
    super('The connection to the database was lost', { cause });
  }
}
