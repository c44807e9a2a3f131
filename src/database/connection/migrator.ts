import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { databaseOptions } from './options.js';

const TRY_LOCK = `SELECT pg_try_advisory_lock(hashtext('migrations')) AS taken`;
const MS_BETWEEN_TRIES = 200;

/**
 * A table lock that is not granted in time fails the migration, because all other statements queue behind a waiting
 * lock.
 */
const LOCK_TIMEOUT_MS = 2_000;
const FOLDER = new URL('../migrations/', import.meta.url);

/**
 * Applies pending migrations, one process at a time.
 * @returns the names of the migrations that were applied
 */
export async function applyMigrations(databaseUrl: string): Promise<string[]> {
  const guard = new pg.Client({ connectionString: databaseUrl });
  await guard.connect();
  try {
    await takeTurn(guard);
    const options = databaseOptions(databaseUrl, 2);
    const dataSource = new DataSource({
      ...options,
      entities: [],
      migrations: await migrationClasses(),
      extra: { lock_timeout: LOCK_TIMEOUT_MS },
    });
    await dataSource.initialize();
    try {
      return (await dataSource.runMigrations()).map((migration) => migration.name);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await guard.end();
  }
}

/**
 * Waits for other processes that migrate. It polls instead of using `pg_advisory_lock`: a waiting statement keeps its
 * snapshot, and an index that the other process builds concurrently would wait for it, which is a deadlock.
 */
async function takeTurn(guard: pg.Client): Promise<void> {
  const take = async (): Promise<boolean> => (await guard.query<{ taken: boolean }>(TRY_LOCK)).rows[0]!.taken;
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
