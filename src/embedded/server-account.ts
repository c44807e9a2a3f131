import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** User and group that PostgreSQL runs as; null: the user of this process. */
export type ServerAccount = { readonly uid: number; readonly gid: number } | null;

const NAME = 'postgres';

/**
 * PostgreSQL refuses to run as root. In that case, the owner of the existing data is used, otherwise the user
 * `postgres`, which is created (without home and login) if it does not exist.
 * @param data folder of the cluster, which may not exist yet
 */
export async function serverAccount(data: string): Promise<ServerAccount> {
  const owner = await stat(data).catch(() => null);
  const self = process.geteuid?.();
  if (self !== 0) {
    if (owner && self !== undefined && owner.uid !== self) {
      throw new Error(
        `${data} belongs to user id ${owner.uid}, but the service runs as user id ${self}. ` +
          'Start it as the same user as before, or choose another DATA_DIR.',
      );
    }
    return null;
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return accountOf(NAME) ?? makeAccount();
}

/** Options to spawn a program as the account, in a folder that it can enter. */
export function spawnAs(account: ServerAccount): { uid?: number; gid?: number; cwd?: string; env?: NodeJS.ProcessEnv } {
  if (process.platform === 'win32') return {};
  // A fixed environment: PGDATA, PGPORT or a foreign locale of the caller must not reach the server.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
  return account ? { uid: account.uid, gid: account.gid, cwd: '/', env } : { env };
}

/**
 * Whether the account may enter the folder and all its parents. The operating system decides, so that ACLs count too.
 */
export function canEnter(account: ServerAccount, folder: string): boolean {
  if (!account) return true;
  return (
    spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...spawnAs(account), stdio: 'ignore' }).status === 0
  );
}

function accountOf(name: string): ServerAccount {
  const id = (flag: string): number | null => {
    const found = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return found.status === 0 ? Number(found.stdout) : null;
  };
  const uid = id('-u');
  const gid = id('-g');
  return uid !== null && gid !== null ? { uid, gid } : null;
}

function makeAccount(): ServerAccount {
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME];
  const result = spawnSync('useradd', options, { encoding: 'utf8' });
  const account = accountOf(NAME);
  if (account) return account;
  throw new Error(
    `PostgreSQL does not run as root, and the user "${NAME}" could not be made (${result.stderr?.trim() || 'no useradd'}). ` +
      'Make that user, start the service as an ordinary user, or set DATABASE_URL and REDIS_URL.',
  );
}
