import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resident set size of a process, MB. */
export function residentMemory(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kilobytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8'))![1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  return Number(kilobytes) / 1024;
}

/** The highest size seen while the work goes on, MB. */
export async function peakMemory<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; peak: number }> {
  let peak = residentMemory(pid);
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      peak = Math.max(peak, residentMemory(pid));
      await sleep(20);
    }
  })();
  try {
    const result = await work();
    return { result, peak: Math.max(peak, residentMemory(pid)) };
  } finally {
    isDone = true;
    await watching;
  }
}
