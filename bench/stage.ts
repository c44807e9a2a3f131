import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { freePort } from '../test/support/free-port.js';
import { World } from '../test/support/world.js';
import { Generator } from './load/generator.js';
import { type Environment, Processes, ROOT, untilAnswered } from './processes.js';
import { within } from './within.js';

/** Cost of every password hash here, the comparisons' one. */
export const BCRYPT_COST = 10;

/** Raised beyond what a run can reach, never off: every request is counted in Redis as in production. */
const LIMITS = ['client_credentials', 'login_email', 'login_ip', 'code_failures', 'login_page_ip', 'admin']
  .map((label) => `${label}=999999999/900`)
  .join(',');

export interface Peer {
  readonly port: number;
  readonly pid: number;
  readonly refreshTokens: readonly string[];
  readonly opaqueToken: string;
}

/**
 * Everything that a run needs, on loopback, gone afterwards: PostgreSQL with fsync and synchronous_commit on, Redis,
 * the built service, the peers, the load generator.
 */
export class Stage {
  readonly generator = new Generator();
  private readonly peers = new Map<string, Promise<Peer>>();
  private closing: Promise<void> | null = null;

  private constructor(
    readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
    private readonly redis: ChildProcess,
    readonly processes: Processes,
    readonly environment: Environment,
  ) {}

  service: ChildProcess;
  world: World;

  /** @param flags of Node, for the service */
  static async open(flags: readonly string[] = []): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'broker-bench-'));
    chmodSync(folder, 0o711); // the database's own user must be able to enter
    const postgres = await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined });
    const redisPort = await freePort();
    const port = await freePort();
    const environment = {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      MALLOC_ARENA_MAX: '2', // as in the image, like the next
      NODE_OPTIONS: '--max-semi-space-size=16',
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: postgres.url,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      SECRET_KEY: randomBytes(32).toString('base64'),
      BCRYPT_COST: String(BCRYPT_COST),
      RATE_LIMITS: LIMITS,
      REQUIRE_ADMIN_2FA: 'false',
    };
    const processes = new Processes();
    const redis = processes.start(
      'redis-server',
      ['--bind', '127.0.0.1', '--port', String(redisPort), '--dir', folder, '--save', '', '--appendonly', 'no'],
      environment,
      join(folder, 'redis.log'),
    );
    const stage = new Stage(folder, postgres, redis, processes, environment);
    try {
      execFileSync(process.execPath, ['dist/migrate.js'], { cwd: ROOT, env: environment, timeout: 120_000 });
      stage.service = stage.startService({}, flags);
      await untilAnswered(`${stage.baseUrl}/health/ready`, stage.service);
      stage.world = await World.open(stage.baseUrl, postgres.url);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  get port(): number {
    return Number(this.environment['PORT']);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  /** Whose CPU time counts for the service, each on its own account. */
  get accounts(): Record<string, number[]> {
    const postmaster = Number(readFileSync(join(this.folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    return { service: [this.service.pid!], postgres: [postmaster], redis: [this.redis.pid!] };
  }

  /** Another process of the built service; `more` may name another port. */
  startService(more: Environment = {}, flags: readonly string[] = []): ChildProcess {
    const env = { ...this.environment, ...more };
    return this.processes.start(process.execPath, [...flags, 'dist/main.js'], env, join(this.folder, 'service.log'));
  }

  /** oidc-provider 9, started once. */
  peer(kind: 'memory' | 'postgres', chains: number): Promise<Peer> {
    const known = this.peers.get(kind);
    if (known) return known;
    const args = [String(chains), ...(kind === 'postgres' ? [this.databaseUrl] : [])];
    const starting = this.processes
      .tell<Omit<Peer, 'pid'>>('./peers/oidc-provider.mjs', args)
      .then(({ pid, told }) => ({ pid, ...told }));
    this.peers.set(kind, starting);
    return starting;
  }

  /** May be called more than once: an interrupted run ends twice. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.generator.stop();
    const steps = [
      () => this.world?.close(),
      () => this.service && this.processes.stop(this.service),
      () => this.processes.stop(this.redis),
      () => this.processes.killAll(),
      () => this.postgres.stop(),
    ];
    // One that hangs or fails keeps none of the others from ending.
    for (const step of steps) {
      await within(30_000, 'the end of the run', Promise.resolve(step())).catch((error: unknown) =>
        console.error(String(error)),
      );
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
