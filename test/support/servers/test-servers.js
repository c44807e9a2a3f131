import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { buildIfStale, isStale } from '../../../scripts/build.mjs';
import { makeDataFolder } from './memory-folder.js';
import { ifThere } from './missing-programs.js';
import { emptyRedis, NOBODY, startRedis } from './redis-server.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A migrated database, a copy of it in which the service was started once, and the one that most tests share. */
const MIGRATED = 'migrated';
const STARTED = 'started';
const SHARED = 'shared';

/** The servers of one test run. What the tests must know of them goes into the environment of jest's workers. */
export class TestServers {
  /** By these names tests find the servers. */
  env = { TEST_SECRET_KEY: randomBytes(32).toString('base64') };
  #stops = [];

  /**
   * With `TEST_SERVERS=running` the servers are already running, and their `env` is in the environment.
   * @param {number} [dataBytes] how much the databases may take, if it is more than in tests
   */
  static async shared(dataBytes) {
    if (process.env.TEST_SERVERS === 'running') return;
    globalThis.sharedTestServers ??= TestServers.start(dataBytes);
    Object.assign(process.env, (await globalThis.sharedTestServers).env);
  }

  static async stopShared() {
    const starting = globalThis.sharedTestServers;
    globalThis.sharedTestServers = undefined;
    await (await starting?.catch(() => undefined))?.stop();
  }

  static async start(dataBytes) {
    const rig = new TestServers();
    rig.#stopOnSignals();
    try {
      if (isStale()) console.error('-- building dist/ …');
      if (!buildIfStale()) {
        console.error('\nThe compiler complained (above). The tests run what it wrote; `npm run check` decides.\n');
      }
      console.error('-- starting PostgreSQL and Redis for the tests …');
      const folder = rig.#folder(dataBytes);
      const [database, redis] = await Promise.all([rig.#postgres(folder), rig.#redis(folder)]);
      if (redis) rig.env.TEST_REDIS_URL = redis.url;
      await rig.#databases(database.url);
      return rig;
    } catch (error) {
      await rig.stop();
      throw error;
    }
  }

  async stop() {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }

  /** jest skips the teardown when it is interrupted. */
  #stopOnSignals() {
    const interrupted = () => void this.stop().finally(() => process.exit(130));
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
    this.#stops.push(() => ['SIGINT', 'SIGTERM'].forEach((signal) => process.off(signal, interrupted)));
  }

  #folder(dataBytes) {
    const folder = makeDataFolder('broker-test-', dataBytes);
    this.#stops.push(() => {
      const pointer = join(folder, 'postgres.location');
      if (existsSync(pointer)) rmSync(readFileSync(pointer, 'utf8').trim(), { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  }

  async #postgres(folder) {
    const { EmbeddedPostgres } = await import('../../../dist/embedded/embedded-postgres.js');
    const lines = [];
    const log = (line) => lines.push(line) > 200 && lines.shift();
    const database = await EmbeddedPostgres.start({ dataDir: folder, disposable: true, log });
    this.#stops.push(() => database.stop());
    return database;
  }

  async #redis(folder) {
    const redis = await ifThere('Redis', () => startRedis(join(folder, 'redis')));
    if (redis) this.#stops.push(() => redis.stop());
    return redis;
  }

  async #databases(adminUrl) {
    const named = (name) => Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
    Object.assign(this.env, {
      TEST_ADMIN_DATABASE_URL: adminUrl,
      TEST_MIGRATED_DATABASE: MIGRATED,
      TEST_STARTED_DATABASE: STARTED,
      TEST_DATABASE_URL: named(SHARED),
    });
    await this.#asAdmin(async (client) => {
      await client.query(`CREATE DATABASE ${MIGRATED}`);
      await run(['dist/migrate.js'], named(MIGRATED), this.env);
      for (const copy of [SHARED, STARTED]) await client.query(`CREATE DATABASE ${copy} TEMPLATE ${MIGRATED}`);
      // Whatever starts first makes the signing key, which takes 0.1 to 0.4 s of a core.
      await run(['dist/cli.js', '--help'], named(STARTED), this.env);
    });
  }

  /** As after the start, without the time that it takes. */
  async renew() {
    await this.#asAdmin(async (client) => {
      const { rows } = await client.query('SELECT datname FROM pg_database WHERE datname <> ALL($1)', [
        ['postgres', 'template0', 'template1', MIGRATED, STARTED],
      ]);
      for (const { datname } of rows) await client.query(`DROP DATABASE "${datname}" WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${SHARED} TEMPLATE ${MIGRATED}`);
    });
    if (this.env.TEST_REDIS_URL) await emptyRedis(this.env.TEST_REDIS_URL);
  }

  async #asAdmin(work) {
    const client = new pg.Client({ connectionString: this.env.TEST_ADMIN_DATABASE_URL });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}

async function run(command, databaseUrl, { TEST_REDIS_URL, TEST_SECRET_KEY }) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    REDIS_URL: TEST_REDIS_URL ?? NOBODY,
    SECRET_KEY: TEST_SECRET_KEY,
    BASE_URL: 'http://127.0.0.1:3000',
  };
  try {
    await promisify(execFile)(process.execPath, command, { cwd: root, env });
  } catch (error) {
    throw new Error(`A template database could not be made:\n${error.stdout ?? ''}${error.stderr ?? ''}`, {
      cause: error,
    });
  }
}
