import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/wait.js';
import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { underLoad } from '../under-load.js';

const FOLDERS = ['/usr/lib', '/usr/lib64', '/usr/local/lib'];
/** A clock is compared with the database's every few seconds. */
const NOTICED_WITHIN_MS = 20_000;

/** libfaketime, wherever the distribution puts it. */
function library(): string | null {
  for (const folder of FOLDERS.filter((each) => existsSync(each))) {
    for (const below of ['', ...readdirSync(folder)]) {
      const path = join(folder, below, 'faketime', 'libfaketimeMT.so.1');
      if (existsSync(path)) return path;
    }
  }
  return null;
}

export function lacksFaketime(): string | null {
  return library() ? null : 'libfaketime (Debian and Ubuntu: apt-get install faketime)';
}

/** F10: the clock of one machine jumps by minutes and hours. That process takes no requests until its clock is right. */
export async function clockJumps(jumps: readonly string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'broker-clock-'));
  const file = join(folder, 'shift');
  const shift = (by: string) => writeFileSync(file, `${by}\n`);
  shift('+0');
  const own = {
    LD_PRELOAD: library()!,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  try {
    return await underLoad({ own }, async ({ service, load }) => {
      const noticed: number[] = [];
      const broken: string[] = [];
      for (const jump of jumps) {
        await sleep(2_000);
        shift(jump);
        const begun = performance.now();
        await eventually('the process is not ready', async () => !(await service.isReady(1)), {
          within: NOTICED_WITHIN_MS,
        }).catch(() => broken.push(`${jump}: the process stayed ready`));
        noticed.push(performance.now() - begun);
        shift('+0');
        await service.recovered();
      }
      if (load.failed > 0) broken.push(`${load.failed} requests failed`);
      return { figures: `jumps of ${jumps.join(', ')}, noticed after ${seconds(noticed)}`, broken };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
