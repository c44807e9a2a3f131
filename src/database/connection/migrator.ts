import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { databaseOptions } from './options.js';

const TRY_LOCK = `SELECT pg_try_advisory_lock(hashtext('migrations')) AS taken`;
const MS_BETWEEN_TRIES = 200;
const LOST =
  'The connection to the database was lost. The open transaction was rolled back; an index may still be built. Run the migrations again';

/**
 * A table lock that is not granted in time fails the migration, because all other statements queue behind a waiting
 * lock.
 */
const LOCK_TIMEOUT_MS = 2_000;
/**
 * While an index is built, the connection is silent. Without these probes, a firewall may drop it, and a server that is
 * gone is not noticed.
 */
const KEEP_ALIVE_AFTER_MS = 30_000;
const FOLDER = new URL('../migrations/', import.meta.url);

/**
 * Applies pending migrations, one process at a time. The connection that runs them holds the lock. If it is lost, the
 * migrations stop, PostgreSQL rolls back the open transaction, and the lock is free when the server has ended the
 * statement, not before.
 * @returns the names of the migrations that were applied
 */
export async function applyMigrations(databaseUrl: string): Promise<string[]> {
  const options = databaseOptions(databaseUrl, 2);
  const dataSource = new DataSource({
    ...options,
    entities: [],
    migrations: await migrationClasses(),
    extra: { lock_timeout: LOCK_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS },
  });
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    // TypeORM removes its listener with the first error. A second one would end the process.
    ((await runner.connect()) as pg.Client).on('error', () => undefined);
    await takeTurn(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = options.migrationsTransactionMode!;
    return (await executor.executePendingMigrations()).map((migration) => migration.name);
  } catch (error) {
    if (runner.isReleased) throw new Error(LOST, { cause: error });
    throw error;
  } finally {
    if (!runner.isReleased) await runner.release();
    await dataSource.destroy();
  }
}

/**
 * Waits for other processes that migrate. It polls instead of using `pg_advisory_lock`: a waiting statement keeps its
 * snapshot, and an index that the other process builds concurrently would wait for it, which is a deadlock.
 */
async function takeTurn(runner: QueryRunner): Promise<void> {
  const take = async (): Promise<boolean> => {
    const [row] = (await runner.query(TRY_LOCK)) as { taken: boolean }[];
    return row!.taken;
  };
  while (!(await take())) await sleep(MS_BETWEEN_TRIES);
}

/** Whether a migration of this build has not been applied. A migration's file name begins with its timestamp. */
export async function hasPendingMigrations(
  query: (text: string) => Promise<{ timestamp: string }[]>,
): Promise<boolean> {
  const [files, rows] = await Promise.all([migrationFiles(), query('SELECT "timestamp"::text FROM migrations')]);
  const applied = new Set(rows.map((row) => row.timestamp));
  return files.some((file) => !applied.has(file.split('-')[0]!));
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((file) => /^\d+-.*\.(js|ts)$/.test(file));
}

async function migrationClasses(): Promise<Type<MigrationInterface>[]> {
  const imports = (await migrationFiles()).map((file) => import(new URL(file, FOLDER).href));
  const modules = (await Promise.all(imports)) as Record<string, Type<MigrationInterface>>[];
  return modules.flatMap((module) => Object.values(module));
}
