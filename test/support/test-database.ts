import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { environmentVariable } from './environment-variable.js';

const MS_TO_DISCONNECT = 1_000;

export interface TestDatabase {
  readonly url: string;
  /** Ends what is still connected, and removes it. */
  drop(): Promise<void>;
}

/** The migrated database that all test files share; each test makes its own tenant in it. */
export function sharedDatabaseUrl(): string {
  return environmentVariable('TEST_DATABASE_URL');
}

/**
 * A database for tests that need an empty world (about 50 ms). The service has been started once: there is a signing key,
 * the same one in all of them, with its audit entry, and nothing else.
 */
export function freshDatabase(): Promise<TestDatabase> {
  return create(environmentVariable('TEST_STARTED_DATABASE'));
}

/** Migrated, and the service was never started: for a `SECRET_KEY` or a signing key of the test's own. */
export function unstartedDatabase(): Promise<TestDatabase> {
  return create(environmentVariable('TEST_MIGRATED_DATABASE'));
}

/** Not even migrated. */
export function emptyDatabase(): Promise<TestDatabase> {
  return create('template0');
}

async function create(template: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await asAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const url = Object.assign(new URL(environmentVariable('TEST_ADMIN_DATABASE_URL')), { pathname: `/${name}` });
  return { url: url.href, drop: () => asAdmin((admin) => drop(admin, name)) };
}

/**
 * Connections that were closed just now get a moment: one that FORCE ends meanwhile reports an error that its pool, which
 * is closed, no longer hears.
 */
async function drop(admin: Client, name: string): Promise<void> {
  const last = performance.now() + MS_TO_DISCONNECT;
  const open = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' LIMIT 1`;
  while (performance.now() < last && (await admin.query(open)).rowCount) await sleep(20);
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function asAdmin(work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ connectionString: environmentVariable('TEST_ADMIN_DATABASE_URL') });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
