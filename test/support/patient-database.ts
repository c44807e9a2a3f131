import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { ImpatientClient } from '../../src/database/connection/impatient-client.js';
import { MeasuredPool } from '../../src/database/connection/measured-pool.js';

const LIMITS = {
  lock_timeout: 30_000,
  statement_timeout: 40_000,
  idle_in_transaction_session_timeout: 60_000,
  connectionTimeoutMillis: 30_000,
};

/** Does not mind silence. */
class PatientClient extends ImpatientClient {
  constructor(config: ConstructorParameters<typeof ImpatientClient>[0]) {
    super(config);
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    this.once('connect', () => stream.removeAllListeners('timeout'));
  }
}

const patient = new AsyncLocalStorage<true>();

const { connect } = MeasuredPool.prototype;
MeasuredPool.prototype.connect = function (this: MeasuredPool, ...args: Parameters<typeof connect>) {
  if (patient.getStore()) Object.assign(Object.assign(this, { Client: PatientClient }).options, LIMITS);
  return connect.apply(this, args);
} as typeof connect;

/**
 * Starts a service, or connects, without the service's limits for its database: a lock is waited for 30 s instead of 2 s,
 * and so on. On a busy machine, a test that holds a lock until several transactions wait for it takes longer than that,
 * and the answer would be 503. What these limits do is tested where they are kept: test/db/database/connection, and
 * services in processes of their own.
 */
export function withPatientDatabase<T>(start: () => Promise<T>): Promise<T> {
  return patient.run(true, start);
}
