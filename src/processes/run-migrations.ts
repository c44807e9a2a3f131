import pg from 'pg';
import { EnvironmentFault, readEnvironment } from '../config/env.js';
import { applyMigrations } from '../database/connection/migrator.js';
import {
  describeAddress,
  findSuspiciousAddresses,
  type SuspiciousAddress,
} from '../users/commands/suspicious-addresses.js';

/** Applies pending migrations and lists rows that need attention. Sets exit code 1 on failure. */
export async function runMigrations(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const { databaseUrl } = readEnvironment(environment);
    if (!databaseUrl)
      throw new EnvironmentFault(['DATABASE_URL is required here: the embedded mode migrates by itself']);
    const applied = await applyMigrations(databaseUrl);
    process.stdout.write(applied.length > 0 ? `Applied: ${applied.join(', ')}\n` : 'Nothing to apply\n');
    if (applied.length > 0) await reportSuspiciousAddresses(databaseUrl);
  } catch (error) {
    process.stderr.write(`${error instanceof EnvironmentFault ? error.message : String((error as Error).stack)}\n`);
    process.exitCode = 1;
  }
}

/**
 * Rows that the service would not accept today. They are not changed, because only an operator can decide what is right
 * for each.
 */
async function reportSuspiciousAddresses(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const query = async (text: string, values: unknown[]) => (await client.query<SuspiciousAddress>(text, values)).rows;
    let count = 0;
    for await (const found of findSuspiciousAddresses(query)) {
      process.stdout.write(`Suspicious ${describeAddress(found)}\n`);
      count++;
    }
    if (count > 0)
      process.stdout.write(
        `${count} e-mail addresses would be refused today: see "Suspicious addresses" in docs/operations.md\n`,
      );
  } finally {
    await client.end();
  }
}
