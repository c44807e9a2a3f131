import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '../../src/embedded/embedded-postgres.js';
import { postgresHome } from '../../src/embedded/postgres-home.js';
import { testRedisUrl } from '../support/redis.js';
import { testEnvironment } from '../support/test-settings.js';
import { Gateway } from './gateway.js';

/** A PostgreSQL with durable commits and the migrated schema, to be crashed and hung. */
export class OwnPostgres {
  private constructor(
    readonly folder: string,
    /** PGDATA. */
    readonly data: string,
    private server: EmbeddedPostgres,
    readonly gateway: Gateway,
  ) {}

  /** @param folder where it keeps its data; by default one that is removed by {@link stop} */
  static async start(folder = mkdtempSync(join(tmpdir(), 'broker-faults-'))): Promise<OwnPostgres> {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o711); // the database's own user must be able to enter
    const server = await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined });
    const { data } = await postgresHome(folder);
    const postgres = new OwnPostgres(folder, data, server, await Gateway.before(server.url));
    await migrate(postgres.url);
    return postgres;
  }

  /** Through the gateway: stays the same over all starts. */
  get url(): string {
    return this.gateway.through(this.server.url);
  }

  /** Power cut: the postmaster and all of its processes at once. */
  async crash(): Promise<void> {
    for (const pid of this.pids()) process.kill(pid, 'SIGKILL');
    await this.server.stop();
  }

  /** After {@link crash} or {@link end}: recovers from the write-ahead log. @returns milliseconds until it answered */
  async recover(): Promise<number> {
    const begun = performance.now();
    this.server = await EmbeddedPostgres.start({ dataDir: this.folder, log: () => undefined });
    this.gateway.targetPort = Number(new URL(this.server.url).port);
    return performance.now() - begun;
  }

  /** Cleanly. */
  async end(): Promise<void> {
    await this.server.stop();
  }

  async restart(): Promise<void> {
    await this.end();
    await this.recover();
  }

  hang(): void {
    for (const pid of this.pids()) process.kill(pid, 'SIGSTOP');
  }

  wakeUp(): void {
    for (const pid of this.pids()) process.kill(pid, 'SIGCONT');
  }

  get isAlive(): boolean {
    return this.pids().length > 1;
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private pids(): number[] {
    try {
      const postmaster = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
      const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
      return [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
    } catch {
      return [];
    }
  }
}

async function migrate(databaseUrl: string): Promise<void> {
  const env = { ...process.env, ...testEnvironment(), REDIS_URL: testRedisUrl(), DATABASE_URL: databaseUrl };
  await promisify(execFile)(process.execPath, ['dist/migrate.js'], { env });
}
