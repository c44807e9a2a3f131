import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { rigVariable } from './rig-variable.js';

export interface TestDatabase {
  readonly url: string;
  /** Ends what is still connected, and removes it. */
  drop(): Promise<void>;
}

/** The migrated database that all test files share; each test makes its own tenant in it. */
export function sharedDatabaseUrl(): string {
  return rigVariable('TEST_DATABASE_URL');
}

/** A migrated database without a row, for tests that need an empty world (about 50 ms). */
export function freshDatabase(): Promise<TestDatabase> {
  return create(rigVariable('TEST_TEMPLATE_DATABASE'));
}

/** Not even migrated. */
export function emptyDatabase(): Promise<TestDatabase> {
  return create('template0');
}

async function create(template: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = Object.assign(new URL(rigVariable('TEST_ADMIN_DATABASE_URL')), { pathname: `/${name}` });
  return { url: url.href, drop: () => asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function asAdmin(statement: string): Promise<void> {
  const client = new Client({ connectionString: rigVariable('TEST_ADMIN_DATABASE_URL') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
