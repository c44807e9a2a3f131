/** SQLSTATE "connection failure", by which the error filter knows that the database was away. */
const CONNECTION_FAILURE = '08006';

/** The connection of a transaction was cut while the transaction was open; PostgreSQL undoes what was not committed. */
export class ConnectionLost extends Error {
  readonly code = CONNECTION_FAILURE;

  constructor(cause: unknown) {
    super('The connection to the database was lost', { cause });
  }
}
