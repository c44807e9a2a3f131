import { readdir } from 'node:fs/promises';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { databaseOptions } from '../../src/database/connection/options.js';

/** Tables that stay small however many users there are. Every other one counts as large, new ones too. */
const SMALL_TABLES = [
  'migrations',
  'tenants',
  'apps',
  'signing_keys',
  'push_settings',
  'request_notices',
  'first_admin_links',
  'audit_chains',
  'daily_statistics',
  'operator_tasks',
  'scheduled_changes',
  'captured_mails',
  'captured_pushes',
];

/** Under these others cannot write, or not even read. */
const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

const FOLDER = new URL('../../src/database/migrations/', import.meta.url);

const LARGE_TABLES = `
  SELECT c.oid::int AS id, c.relname AS name, pg_relation_filenode(c.oid)::int AS file, array[]::text[] AS locks,
    coalesce(s.seq_scan, 0)::int AS "wholeScans", (coalesce(s.seq_scan, 0) + coalesce(s.idx_scan, 0))::int AS scans
  FROM pg_class c LEFT JOIN pg_stat_xact_user_tables s ON s.relid = c.oid
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`;

/**
 * What this session has done to a table so far: PostgreSQL counts scans, those of ALTER TABLE and CREATE INDEX too. Scans
 * of transactions before count until the session has told of them, so only differences mean something.
 */
const TOUCHED_TABLES = `
  SELECT s.relid::int AS id, s.relname AS name, pg_relation_filenode(s.relid)::int AS file, array_agg(l.mode) AS locks,
    s.seq_scan::int AS "wholeScans", (s.seq_scan + coalesce(s.idx_scan, 0))::int AS scans
  FROM pg_stat_xact_user_tables s JOIN pg_locks l ON l.relation = s.relid AND l.pid = pg_backend_pid()
  GROUP BY s.relid, s.relname, s.seq_scan, s.idx_scan`;

interface Table {
  readonly id: number;
  readonly name: string;
  /** Another one after a rewrite. */
  readonly file: number;
  readonly locks: readonly string[];
  readonly scans: number;
  readonly wholeScans: number;
}

export type Migration = MigrationInterface & { readonly name: string };

/** Runs migrations as the migrator does, and says what would stop a service with many rows. */
export class MigrationWatch {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly db: QueryRunner,
  ) {}

  static async on(databaseUrl: string): Promise<MigrationWatch> {
    const dataSource = new DataSource({ ...databaseOptions(databaseUrl, 1), entities: [], migrations: [] });
    await dataSource.initialize();
    return new MigrationWatch(dataSource, dataSource.createQueryRunner());
  }

  async close(): Promise<void> {
    await this.db.release();
    await this.dataSource.destroy();
  }

  /** Applies the migration. @returns one sentence for each large table that it locks or rewrites */
  async apply(migration: Migration): Promise<string[]> {
    if (migration.transaction === false) return this.applyByStatement(migration);
    return this.watched(true, () => migration.up(this.db));
  }

  /** The same for a single statement or several, which are undone. */
  judge(...statements: string[]): Promise<string[]> {
    return this.watched(false, async () => {
      for (const statement of statements) await this.db.query(statement);
    });
  }

  private async watched(isKept: boolean, work: () => Promise<unknown>): Promise<string[]> {
    await this.db.startTransaction();
    try {
      const large = (await this.db.query(LARGE_TABLES, [SMALL_TABLES])) as Table[];
      await work();
      const faults = faultsOf(large, (await this.db.query(TOUCHED_TABLES)) as Table[]);
      await (isKept ? this.db.commitTransaction() : this.db.rollbackTransaction());
      return faults;
    } catch (error) {
      await this.db.rollbackTransaction();
      throw error;
    }
  }

  /** Without a transaction each statement is one; those that say CONCURRENTLY lock nobody out, and cannot be in one. */
  private async applyByStatement(migration: Migration): Promise<string[]> {
    const faults: string[] = [];
    const query = async (text: string, values?: unknown[]): Promise<unknown> => {
      if (/\bCONCURRENTLY\b|^\s*(RESET|SET)\b/i.test(text)) return this.db.query(text, values);
      let rows: unknown;
      faults.push(...(await this.watched(true, async () => (rows = await this.db.query(text, values)))));
      return rows;
    };
    await migration.up(Object.create(this.db, { query: { value: query } }) as QueryRunner);
    return faults;
  }
}

/** All of them, in the order in which the migrator applies them. */
export async function allMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).sort();
  const modules = (await Promise.all(files.map((file) => import(new URL(file, FOLDER).href)))) as Record<
    string,
    new () => Migration
  >[];
  return modules.flatMap((module) => Object.values(module)).map((Class) => new Class());
}

function faultsOf(large: readonly Table[], touched: readonly Table[]): string[] {
  return large.flatMap((before) => {
    const now = touched.find(({ id }) => id === before.id);
    if (!now) return [];
    const { name, locks } = now;
    if (now.file !== before.file) return [`rewrites ${name}`];
    const lock = BLOCKING.findLast((mode) => locks.includes(mode));
    if (lock && now.scans > before.scans) return [`reads ${name} while it holds ${lock}`];
    const isChanged = locks.includes('RowExclusiveLock');
    return isChanged && now.wholeScans > before.wholeScans ? [`changes rows all over ${name}`] : [];
  });
}
