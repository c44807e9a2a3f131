import { EnvironmentFault, readEnvironment } from './config/env.js';
import { applyMigrations } from './database/migrator.js';

try {
  const { databaseUrl } = readEnvironment(process.env);
  if (!databaseUrl) throw new EnvironmentFault(['DATABASE_URL is required here: the embedded mode migrates by itself']);
  const applied = await applyMigrations(databaseUrl);
  process.stdout.write(applied.length > 0 ? `Applied: ${applied.join(', ')}\n` : 'Nothing to apply\n');
} catch (error) {
  process.stderr.write(`${error instanceof EnvironmentFault ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
