import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SystemRandomness } from '../common/system-randomness.js';
import type { Settings } from '../config/settings.js';
import { applyMigrations } from '../database/connection/migrator.js';
import { DataDirInUse } from './data-dir-in-use.js';
import { type EmbeddedMode, startEmbeddedMode } from './embedded-mode.js';
import { postgresHome } from './postgres-home.js';
import { readOrCreateSecretKey } from './secret-key-file.js';

/** Fourth line of postmaster.pid: the port that the server listens on. */
const PORT_LINE = 3;

/** The database of the service that runs in DATA_DIR, or one that is started for this command. For the command line. */
export async function attachEmbeddedMode(settings: Settings): Promise<EmbeddedMode> {
  try {
    return await startMigrated(settings);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    return attachToRunning(settings);
  }
}

/** A command may run before the first start of the service. */
async function startMigrated(settings: Settings): Promise<EmbeddedMode> {
  const mode = await startEmbeddedMode(settings, () => undefined);
  try {
    await applyMigrations(mode.settings.databaseUrl!);
    return mode;
  } catch (error) {
    await mode.stop();
    throw error;
  }
}

async function attachToRunning(settings: Settings): Promise<EmbeddedMode> {
  const dataDir = resolve(settings.dataDir);
  const home = await postgresHome(dataDir);
  const [status, password] = await Promise.all([
    readFile(join(home.data, 'postmaster.pid'), 'utf8'),
    readFile(home.passwordFile, 'utf8'),
  ]);
  const port = Number(status.split('\n')[PORT_LINE]);
  const secretKey = settings.secretKey ?? (await readOrCreateSecretKey(dataDir, true, new SystemRandomness()));
  const databaseUrl = `postgres://postgres:${password.trim()}@127.0.0.1:${port}/postgres`;
  return { settings: Object.freeze({ ...settings, dataDir, databaseUrl, secretKey }), stop: () => Promise.resolve() };
}
