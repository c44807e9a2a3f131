import { readlinkSync, realpathSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './process-identity.js';

/** Milliseconds for a fast shutdown, and then for an immediate one (which requires recovery, but loses no data). */
const FAST = 8_000;
const IMMEDIATE = 4_000;

/**
 * Stops a server that a killed service left running on this cluster. The caller holds the folder's lock, so no other
 * process is using it.
 * @throws Error if it does not end
 */
export async function endLeftoverPostmaster(data: string, log: (line: string) => void): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (!(pid > 1) || !isAlive(pid)) return;
  if (!serves(pid, data)) {
    // The process id now belongs to another program. PostgreSQL cannot know that and would refuse to start.
    await rm(file, { force: true });
    return;
  }
  log(`Ending the database server that an earlier, killed service left behind (pid ${pid})`);
  await endPostmaster(pid);
}

/** Fast shutdown: sessions are ended, and everything committed is on disk. */
export async function endPostmaster(pid: number): Promise<void> {
  if (await ends(pid, 'SIGINT', FAST)) return;
  if (await ends(pid, 'SIGQUIT', IMMEDIATE)) return;
  throw new Error(`The database server (pid ${pid}) does not stop`);
}

async function ends(pid: number, signal: NodeJS.Signals, patience: number): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  for (let waited = 0; waited < patience; waited += 10) {
    if (!isAlive(pid)) return true;
    await sleep(10);
  }
  return false;
}

/** A postmaster's working directory is its cluster. */
function serves(pid: number, data: string): boolean {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
    } catch {
      return false;
    }
  }
  const listed = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  return listed.includes(data);
}
