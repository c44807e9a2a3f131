import { resolve } from 'node:path';
import type { Randomness } from '../common/randomness.js';
import { SystemRandomness } from '../common/system-randomness.js';
import type { Settings } from '../config/settings.js';
import { DataDirLock } from './data-dir-lock.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { withStandInProviders } from './dev/provider/stand-in-settings.js';
import { hasDatabase, prepareDataDir } from './postgres-home.js';
import { readOrCreateSecretKey } from './secret-key-file.js';

/** What the service runs on when it was given no database. */
export interface EmbeddedMode {
  /**
   * As read, with `dataDir` made absolute and `databaseUrl` and `secretKey` filled in, and with the stand-in for external
   * providers where none is configured; frozen.
   */
  readonly settings: Settings;
  /** Last of all, after the service has let go of its connections. May be called more than once. */
  stop(): Promise<void>;
}

/**
 * Locks DATA_DIR, reads or makes the key, starts the database.
 * @throws DataDirInUse when another service runs in DATA_DIR
 */
export async function startEmbeddedMode(
  settings: Settings,
  log: (line: string) => void,
  random: Randomness = new SystemRandomness(),
): Promise<EmbeddedMode> {
  const dataDir = resolve(settings.dataDir);
  await prepareDataDir(dataDir);
  const lock = await DataDirLock.acquire(dataDir);
  try {
    const secretKey = settings.secretKey ?? (await readOrCreateSecretKey(dataDir, await hasDatabase(dataDir), random));
    const database = await EmbeddedPostgres.start({ dataDir, log });
    return {
      settings: Object.freeze({ ...withStandInProviders(settings), dataDir, databaseUrl: database.url, secretKey }),
      stop: async () => {
        await database.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
