import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Represents a running process whose start time is not visible (Windows, or /proc hidden from other users). */
const UNSEEN = 'unseen';

/**
 * Distinguishes a process from a later one with the same process id: boot and start time, as an opaque string. Null if
 * there is no such process; a zombie counts as dead.
 */
export function processIdentity(pid: number): string | null {
  if (!isAlive(pid)) return null;
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return UNSEEN;
  const listed = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim();
  return listed ? listed.replaceAll(/\W+/g, '_') : null;
}

/**
 * Whether the process with this identity is still running. True if unknown, because two services must never share a
 * database.
 */
export function livesAs(pid: number, identity: string): boolean {
  const now = processIdentity(pid);
  return now !== null && (now === identity || now === UNSEEN || identity === UNSEEN);
}

/** Whether a process with this id is running. A zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return process.platform !== 'linux' || linuxIdentity(pid) !== null;
}

function linuxIdentity(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): the command may contain blanks and brackets. After its last bracket follow state (field 3) … starttime
    // (22).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    return `${boot}_${fields[19]}`;
  } catch {
    return UNSEEN;
  }
}
