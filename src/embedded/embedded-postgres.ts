import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { endLeftoverPostmaster, endPostmaster } from './leftover-postmaster.js';
import { OrphanGuard } from './orphan-guard.js';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.js';
import { type PostgresHome, postgresHome } from './postgres-home.js';
import { spawnAs } from './server-account.js';

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster, which need not exist yet. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** For tests: nothing is forced to disk, and more sessions are allowed. */
  readonly disposable?: boolean;
}

/** The port is free when checked, but another program may take it before the server does. */
const ATTEMPTS = 4;
/** Milliseconds; recovery after a crash may take a while. */
const READY_WITHIN = 60_000;

/**
 * A separate PostgreSQL server, on the loopback interface only, with a random port and a random password. It runs in
 * its own session, so that Ctrl-C in a terminal reaches only the service, which stops the server last.
 *
 * Its size is justified because the service starts with one command and nothing else installed, and loses nothing when
 * it is killed. This needs the lock of the folder, the search for servers that were left running, and recovery after a
 * crash.
 */
export class EmbeddedPostgres {
  private stopping: Promise<void> | null = null;

  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly guard: OrphanGuard,
  ) {}

  /** The caller must have locked the folder. Resolves when the server answers queries. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const home = await postgresHome(options.dataDir);
    const binaries = await postgresBinaries(home.account);
    if (!existsSync(home.data)) await initialize(home, binaries, options);
    await endLeftoverPostmaster(home.data, options.log);
    for (let attempt = 1; ; attempt++) {
      try {
        return await EmbeddedPostgres.launch(home, binaries, options);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        options.log(`${(error as Error).message} Trying again.`);
        await sleep(attempt * 250);
      }
    }
  }

  /** Fast shutdown; resolves when the server has ended. May be called more than once. */
  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private static async launch(
    home: PostgresHome,
    binaries: PostgresBinaries,
    options: EmbeddedPostgresOptions,
  ): Promise<EmbeddedPostgres> {
    const port = await freePort();
    const server = spawn(binaries.postgres, serverArguments(home, port, options.disposable ?? false), {
      ...spawnAs(home.account),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lastLines: string[] = [];
    // Must be read without pause: a full pipe would block the server in the middle of a query.
    createInterface({ input: server.stderr }).on('line', (line) => {
      if (lastLines.push(line) > 10) lastLines.shift();
      options.log(line);
    });
    let failure: string | null = null;
    server.once('error', (error) => (failure = error.message));
    server.once('exit', (code, signal) => (failure = `it ended with ${signal ?? code}: ${lastLines.join(' | ')}`));

    const password = (await readFile(home.passwordFile, 'utf8')).trim();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const guard = server.pid ? OrphanGuard.watch(server.pid, home.data, home.account) : null;
    await answers(url, () => failure).catch(async (error: unknown) => {
      guard?.dismiss();
      if (server.pid && failure === null) await endPostmaster(server.pid);
      throw error;
    });
    const started = new EmbeddedPostgres(url, server, guard!);
    server.once('exit', () => {
      if (!started.stopping) options.log(`The embedded PostgreSQL ended unexpectedly: ${failure}`);
    });
    return started;
  }

  private async end(): Promise<void> {
    const { pid } = this.server;
    const exited = new Promise<void>((resolve) => {
      if (this.server.exitCode !== null || this.server.signalCode !== null) resolve();
      else this.server.once('exit', () => resolve());
    });
    if (pid && this.server.exitCode === null && this.server.signalCode === null) await endPostmaster(pid);
    await exited;
    this.guard.dismiss();
  }
}

/** Runs initdb in a temporary folder, so that a crash leaves nothing that looks like a cluster. */
async function initialize(
  home: PostgresHome,
  binaries: PostgresBinaries,
  options: EmbeddedPostgresOptions,
): Promise<void> {
  const draft = `${home.data}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(home.passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (home.account) {
    await chown(draft, home.account.uid, home.account.gid);
    await chown(home.passwordFile, home.account.uid, home.account.gid);
  }
  // The builtin provider needs no locale of the operating system and sorts the same everywhere.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${home.passwordFile}`];
  const durability = options.disposable ? ['--no-sync'] : [];
  const result = spawnSync(binaries.initdb, ['-D', draft, ...locale, ...access, ...durability], {
    ...spawnAs(home.account),
    encoding: 'utf8',
    windowsHide: true,
  });
  if (result.status !== 0) {
    throw new Error(`The embedded database cannot be made: ${result.error?.message ?? result.stderr.trim()}`);
  }
  await rename(draft, home.data);
}

function serverArguments(home: PostgresHome, port: number, disposable: boolean): string[] {
  const settings = {
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_line_prefix: '',
    // Failed statements and their values are not logged by the server, because they may contain personal data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    ...(disposable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', home.data, '-h', '127.0.0.1', '-p', String(port), ...flags];
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Resolves with the first answered query. The mutual authentication of SCRAM also proves that it is this server. */
async function answers(url: string, failure: () => string | null): Promise<void> {
  let last: unknown = null;
  for (const end = performance.now() + READY_WITHIN; performance.now() < end; await sleep(15)) {
    if (failure() !== null) throw new Error(`The embedded PostgreSQL did not start: ${failure()}.`);
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (error) {
      last = error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error('The embedded PostgreSQL does not answer.', { cause: last });
}
