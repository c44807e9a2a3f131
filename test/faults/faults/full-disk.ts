import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../../support/world.js';
import type { Outcome } from '../fault.js';
import { OwnPostgres } from '../own-postgres.js';
import { seconds } from '../report.js';
import { underLoad } from '../under-load.js';

const DISK_MIB = 400;
/** What the ballast leaves free. */
const LEFT_KIB = 64;

/** @returns what is missing to make a small file system */
export function lacksTmpfs(): string | null {
  return process.platform === 'linux' && process.getuid?.() === 0 ? null : 'right to mount a tmpfs (Linux, root)';
}

/** F13: the volume of PostgreSQL is full for a while. Writes are refused with 503, and no process ends. */
export async function diskIsFull(milliseconds: number): Promise<Outcome> {
  const disk = mkdtempSync(join(tmpdir(), 'broker-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'tmpfs', disk]);
  try {
    const postgres = await OwnPostgres.start(join(disk, 'data'));
    try {
      return await underLoad({ databaseUrl: postgres.url }, async ({ service, load, world }) => {
        const ballast = join(disk, 'ballast');
        await sleep(1_000);
        const { bavail, bsize } = statfsSync(disk);
        execFileSync('fallocate', ['-l', String(bavail * bsize - LEFT_KIB * 1_024), ballast]);
        await useUp(world);
        const before = load.failed;
        await sleep(milliseconds);
        const refused = load.failed - before;
        const others = [...load.statuses.keys()].filter(
          (status) => ![503, 502].includes(Number(status)) && !(Number(status) < 300),
        );
        const ended = service.webs.filter((web) => hasEnded(web.pid)).length;
        rmSync(ballast);
        const begun = performance.now();
        if (!postgres.isAlive) await postgres.recover();
        await service.recovered();
        const broken: string[] = [];
        if (others.length > 0) broken.push(`other answers than 503: ${others.join(', ')}`);
        if (ended > 0) broken.push(`${ended} web processes ended`);
        if (refused === 0) broken.push('the disk did not become full: nothing was refused');
        return {
          figures: `full for ${milliseconds / 1_000} s, ${refused} refused, ready ${seconds([performance.now() - begun])} afterwards`,
          broken,
        };
      });
    } finally {
      await postgres.stop();
    }
  } finally {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

/** Writes rows until there is no page left. Those of tables with free pages still succeed: so it is in operation. */
async function useUp(world: World): Promise<void> {
  const row = `INSERT INTO captured_mails (id, "to", "from", subject, text, html)
    SELECT gen_random_uuid(), '', '', '', string_agg(md5(random()::text), ''), '' FROM generate_series(1, 150)`;
  for (let rows = 0; rows < 1_000; rows++) {
    const isFull = await world.sql(row).then(
      () => false,
      () => true,
    );
    if (isFull) return;
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
