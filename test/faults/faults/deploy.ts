import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { seedMany } from '../../support/many-rows.js';
import { emptyDatabase } from '../../support/test-database.js';
import { runCommand } from '../../support/command-line.js';
import { eventually } from '../../support/wait.js';
import type { Outcome, RunOptions } from '../fault.js';
import type { Service } from '../service.js';
import { underLoad } from '../under-load.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MIGRATIONS = 'src/database/migrations';
const NO_HISTORY = 'git history with an earlier version';

export function lacksHistory(): string | null {
  try {
    previousVersion();
    return null;
  } catch {
    return NO_HISTORY;
  }
}

/**
 * F15: the version before and this one on one database, under load: migrate, replace one process after the other, and
 * back again. Between the two both versions answer.
 */
export async function deployAndBack({ from = previousVersion(), users }: RunOptions): Promise<Outcome> {
  const before = exportVersion(from);
  const database = await emptyDatabase();
  try {
    const migrations = new Migrations(database.url);
    const old = await migrations.apply(join(before, 'dist/migrate.js'));
    if (users > 0) await seed(database.url, users);
    return await underLoad(
      { databaseUrl: database.url, root: before, env: { SHUTDOWN_DELAY_SECONDS: '1' } },
      async ({ service, load }) => {
        const begun = performance.now();
        const added = await migrations.apply('dist/migrate.js');
        const migration = performance.now() - begun;
        await replaceAll(service, 'dist');
        await replaceAll(service, join(before, 'dist'));
        await load.end();
        const broken =
          load.failed > 0
            ? [`${load.failed} requests failed: ${[...load.failures, ...service.balancer.failures].join(', ')}`]
            : [];
        const figures = `from ${from.slice(0, 10)} (${old} migrations) to this version (${added} more, ${(migration / 1_000).toFixed(1)} s) and back, ${users} users, ${load.total} requests, ${load.failed} failed`;
        return { figures, broken };
      },
    );
  } finally {
    await database.drop();
    rmSync(before, { recursive: true, force: true });
  }
}

class Migrations {
  constructor(private readonly databaseUrl: string) {}

  /** @returns how many were applied */
  async apply(script: string): Promise<number> {
    const { code, stdout, stderr } = await runCommand([], { script, env: { DATABASE_URL: this.databaseUrl } });
    if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr}`);
    return stdout.startsWith('Applied') ? stdout.split('\n')[0]!.split(',').length : 0;
  }
}

async function replaceAll(service: Service, dist: string): Promise<void> {
  for (const index of [0, 1]) {
    await service.end(index, 'SIGTERM');
    await service.begin(index, join(dist, 'main.js'));
    await eventually('both are ready', () => service.balancer.healthy === 2, { within: 60_000 });
  }
  await service.restartWorker('SIGTERM', join(dist, 'worker.js'));
}

/** The commit before the newest migration: the deploy then has something to migrate. */
function previousVersion(): string {
  const newest = git('log', '-1', '--format=%H', '--diff-filter=A', '--', MIGRATIONS);
  return git('rev-parse', '--verify', `${newest}^`);
}

/** A built checkout of the commit, with the packages of this one. */
function exportVersion(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'broker-version-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(join(folder, 'dist/main.js'))) throw new Error(`${commit} cannot be built`);
  return folder;
}

async function seed(databaseUrl: string, users: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await seedMany(client, 0, users);
  await client.query('SET session_replication_role = replica');
  await client.query(`
    INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
    SELECT e.user_id, e.user_id, e.app_id, now(), '{pwd}', now() + interval '90 days' FROM enrollments e ON CONFLICT DO NOTHING`);
  await client.query(`
    INSERT INTO refresh_tokens (token_hash, family_id, expires_at, rotated_at)
    SELECT sha256((f.id || '/' || i)::bytea), f.id, now() + interval '30 days', CASE WHEN i < 10 THEN now() END
    FROM refresh_families f, generate_series(1, 10) AS i`);
  await client.query('VACUUM (ANALYZE) refresh_families, refresh_tokens');
  await client.end();
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
