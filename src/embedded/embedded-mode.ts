import { resolve } from 'node:path';
import { SystemRandomness } from '../common/system-randomness.js';
import type { Settings } from '../config/settings.js';
import { DataDirLock } from './data-dir-lock.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { withStandInProviders } from './dev/provider/stand-in-settings.js';
import { hasDatabase, prepareDataDir } from './postgres-home.js';
import { readOrCreateSecretKey } from './secret-key-file.js';

/** What the service runs on without a configured database. */
export interface EmbeddedMode {
  /**
   * The given settings with an absolute `dataDir`, with `databaseUrl` and `secretKey`, and with the stand-in for
   * external providers if none is configured; frozen.
   */
  readonly settings: Settings;
  /** Must be called last, after the service has closed its connections. Further calls do nothing. */
  stop(): Promise<void>;
}

/**
 * Locks DATA_DIR, reads or creates the key, starts the database.
 * @throws DataDirInUse if another service runs in DATA_DIR
 */
export async function startEmbeddedMode(settings: Settings, log: (line: string) => void): Promise<EmbeddedMode> {
  const dataDir = resolve(settings.dataDir);
  await prepareDataDir(dataDir);
  const lock = await DataDirLock.acquire(dataDir);
  const random = new SystemRandomness();
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
