import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDirInUse } from './data-dir-in-use.js';
import { livesAs, processIdentity } from './process-identity.js';

interface Entry {
  readonly key: string;
  readonly pid: number;
  readonly identity: string;
  readonly running: boolean;
}

/** Milliseconds between two checks for a process that started at the same time. */
const RIVAL_POLL = 10;

/**
 * Allows one running service per data folder. Every process puts a file, named after its process id and start time,
 * into `lock/` and then reads the others, so every process can remove the file of a crashed one without a race. Of
 * several that start at the same time, exactly one continues: the one with the smallest name.
 */
export class DataDirLock {
  private constructor(
    private readonly folder: string,
    private readonly key: string,
  ) {}

  /** @throws DataDirInUse if a running service uses the folder */
  static async acquire(dataDir: string): Promise<DataDirLock> {
    const folder = join(dataDir, 'lock');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const key = `${process.pid}-${processIdentity(process.pid)}-${randomBytes(6).toString('hex')}`;
    const lock = new DataDirLock(folder, key);
    await writeFile(join(folder, `${key}.waiting`), '', { flag: 'wx' });
    for (;;) {
      const others = await lock.livingOthers();
      const superior = others.find((other) => other.running) ?? others.find((other) => other.key < key);
      if (superior) {
        await lock.release();
        throw new DataDirInUse(dataDir, superior.pid);
      }
      if (others.length === 0) break;
      await sleep(RIVAL_POLL);
    }
    // Created in addition to the waiting file: a rename could hide both names from another process that lists the
    // folder.
    await writeFile(join(folder, `${key}.running`), '');
    return lock;
  }

  async release(): Promise<void> {
    await rm(join(this.folder, `${this.key}.running`), { force: true });
    await rm(join(this.folder, `${this.key}.waiting`), { force: true });
  }

  private async livingOthers(): Promise<Entry[]> {
    const names = await readdir(this.folder);
    const living: Entry[] = [];
    for (const name of names) {
      const entry = parseEntry(name);
      if (!entry || entry.key === this.key) continue;
      if (livesAs(entry.pid, entry.identity)) living.push(entry);
      else await rm(join(this.folder, name), { force: true });
    }
    return living;
  }
}

function parseEntry(name: string): Entry | null {
  const match = /^((\d+)-(\w+)-[0-9a-f]+)\.(waiting|running)$/.exec(name);
  if (!match) return null;
  return { key: match[1]!, pid: Number(match[2]), identity: match[3]!, running: match[4] === 'running' };
}
