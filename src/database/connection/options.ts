import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { ImpatientClient } from './impatient-client.js';
import { MeasuredPool } from './measured-pool.js';
import { SnakeNaming } from './snake-naming.js';

/** Timeouts (milliseconds) that guarantee the limits in the list of faults: nothing waits longer for the database. */
const TIMEOUTS_MS = { connect: 2_000, statement: 5_000, lock: 2_000, idleInTransaction: 10_000 } as const;

/** Folder of the compiled tree (in tests, the source tree) with the entities and migrations. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Connection options for the service, the migrations and the TypeORM command line. `poolSize` counts connections per
 * process.
 */
export function databaseOptions(url: string, poolSize = 10): Extract<DataSourceOptions, { type: 'postgres' }> {
  return {
    type: 'postgres',
    url,
    entities: [`${ROOT}/**/*.entity.{js,ts}`],
    migrations: [`${ROOT}/database/migrations/*.{js,ts}`],
    migrationsTransactionMode: 'each',
    namingStrategy: new SnakeNaming(),
    driver: Object.create(pg, { Pool: { value: MeasuredPool } }) as typeof pg,
    poolSize,
    connectTimeoutMS: TIMEOUTS_MS.connect,
    applicationName: 'identity-broker',
    invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
    extra: {
      Client: ImpatientClient,
      statement_timeout: TIMEOUTS_MS.statement,
      lock_timeout: TIMEOUTS_MS.lock,
      idle_in_transaction_session_timeout: TIMEOUTS_MS.idleInTransaction,
      keepAlive: true,
    },
  };
}
