import type { Socket } from 'node:net';
import { DataSource } from 'typeorm';
import { ImpatientClient } from '../../src/database/connection/impatient-client.js';
import type { MeasuredPool } from '../../src/database/connection/measured-pool.js';
import type { TestApp } from './test-app.js';

const LOCK_MS = 30_000;
const STATEMENT_MS = 40_000;

/** Does not mind silence. */
class PatientClient extends ImpatientClient {
  constructor(config: ConstructorParameters<typeof ImpatientClient>[0]) {
    super(config);
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    this.once('connect', () => stream.removeAllListeners('timeout'));
  }
}

/**
 * For a service of a file whose tests hold locks until several of its transactions wait for them. On a busy machine that takes
 * longer than the 2 s that each would wait, and the answer would be 503. Such a test is not about that limit.
 */
export async function withPatientLocks<App extends Pick<TestApp, 'nest'>>(app: App): Promise<App> {
  const pool = (app.nest.get(DataSource).driver as unknown as { master: MeasuredPool }).master;
  Object.assign(pool.options, {
    lock_timeout: LOCK_MS,
    statement_timeout: STATEMENT_MS,
    connectionTimeoutMillis: LOCK_MS,
  });
  Object.assign(pool, { Client: PatientClient });
  const before = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const client of before) client.release(true);
  return app;
}
