// Exits 1 when the entities and the migrated database differ. With DATABASE_URL that database is looked at (it must be
// migrated); without it a throwaway server is started and migrated first. Works on dist/.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import { DataSource } from 'typeorm';

const root = fileURLToPath(new URL('..', import.meta.url));

async function drift(databaseUrl) {
  const { databaseOptions } = await import('../dist/database/connection/options.js');
  const source = await new DataSource(databaseOptions(databaseUrl)).initialize();
  try {
    if (source.entityMetadatas.length === 0) throw new Error('No entity was found in dist/: build first.');
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    console.log(`${source.entityMetadatas.length} entities, ${upQueries.length} differences`);
    return upQueries.map(({ query }) => query);
  } finally {
    await source.destroy();
  }
}

async function onThrowawayServer(work) {
  const { EmbeddedPostgres } = await import('../dist/embedded/embedded-postgres.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'broker-drift-'));
  chmodSync(dataDir, 0o711);
  const server = await EmbeddedPostgres.start({ dataDir, disposable: true, log: () => undefined });
  try {
    const key = Buffer.from('only for the check of migrations').toString('base64');
    const nobody = { REDIS_URL: 'redis://127.0.0.1:1', BASE_URL: 'http://127.0.0.1:3000' };
    const env = { ...process.env, ...nobody, DATABASE_URL: server.url, SECRET_KEY: key };
    execFileSync(process.execPath, ['dist/migrate.js'], { cwd: root, env, stdio: ['ignore', 2, 2] });
    return await work(server.url);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const given = process.env.DATABASE_URL;
const queries = given ? await drift(given) : await onThrowawayServer(drift);
for (const query of queries) console.log(`  ${query}`);
if (queries.length > 0) process.exitCode = 1;
