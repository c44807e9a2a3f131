import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { canEnter, serverAccount, type ServerAccount } from './server-account.js';

/** Folder that root uses if the server's account cannot reach the checkout. */
export const SHARED_HOME = '/var/lib/identity-broker';

/** Paths and account of one embedded server. */
export interface PostgresHome {
  /** The cluster (PGDATA). */
  readonly data: string;
  /** File with the superuser's password. */
  readonly passwordFile: string;
  readonly account: ServerAccount;
}

/**
 * DATA_DIR itself. If root has DATA_DIR in a folder that the server's account cannot enter: a folder in
 * {@link SHARED_HOME}, whose name is stored in `DATA_DIR/postgres.location`.
 */
export async function postgresHome(dataDir: string): Promise<PostgresHome> {
  await prepareDataDir(dataDir);
  const pointer = join(dataDir, 'postgres.location');
  const elsewhere = existsSync(pointer) ? (await readFile(pointer, 'utf8')).trim() : null;
  if (elsewhere && !existsSync(elsewhere)) {
    throw new Error(
      `The database folder ${elsewhere}, named in ${pointer}, is gone. Put it back or remove ${dataDir}.`,
    );
  }
  const home = elsewhere ?? resolve(dataDir);
  const account = await serverAccount(join(home, 'postgres'));
  if (canEnter(account, home)) return at(home, account);
  if (existsSync(join(home, 'postgres'))) {
    throw new Error(`User id ${account?.uid}, the owner of the database, cannot enter ${home}: give its parents o+x.`);
  }
  const moved = join(SHARED_HOME, `data-${randomBytes(6).toString('hex')}`);
  await makeEnterable(SHARED_HOME);
  await makeEnterable(moved);
  await writeFile(pointer, `${moved}\n`);
  return at(moved, account);
}

/** Whether an earlier start has created a database here. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const pointer = join(dataDir, 'postgres.location');
  const home = existsSync(pointer) ? (await readFile(pointer, 'utf8')).trim() : dataDir;
  return existsSync(join(home, 'postgres'));
}

/**
 * Creates DATA_DIR. Other accounts can pass through it (root's server runs under another one), but neither list nor
 * read it.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) await makeEnterable(dataDir);
}

/** `mkdir` obeys the umask, and root's is often 077. */
async function makeEnterable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, process.geteuid?.() === 0 ? 0o711 : 0o700);
}

function at(home: string, account: ServerAccount): PostgresHome {
  return { data: join(home, 'postgres'), passwordFile: join(home, 'postgres.password'), account };
}
