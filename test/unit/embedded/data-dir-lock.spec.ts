import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirInUse } from '../../../src/embedded/data-dir-in-use.js';
import { DataDirLock } from '../../../src/embedded/data-dir-lock.js';
import { processIdentity } from '../../../src/embedded/process-identity.js';

describe('Lock of a data folder', () => {
  let folder: string;
  const leave = (pid: number, identity: string, state: 'waiting' | 'running'): void => {
    mkdirSync(join(folder, 'lock'), { recursive: true });
    writeFileSync(join(folder, 'lock', `${pid}-${identity}-0123456789ab.${state}`), '');
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('rejects a second holder and names the first', async () => {
    const lock = await DataDirLock.acquire(folder);
    await expect(DataDirLock.acquire(folder)).rejects.toThrow(new DataDirInUse(folder, process.pid).message);
    expect(new DataDirInUse('/data', 7).message).toBe('Another instance is already running in /data (pid 7)');
    await lock.release();
  });

  it('is free again after its release and leaves nothing behind', async () => {
    await (await DataDirLock.acquire(folder)).release();
    await (await DataDirLock.acquire(folder)).release();
    expect(readdirSync(join(folder, 'lock'))).toEqual([]);
  });

  it('is not released by a rejected process', async () => {
    const lock = await DataDirLock.acquire(folder);
    await expect(DataDirLock.acquire(folder)).rejects.toThrow(DataDirInUse);
    await expect(DataDirLock.acquire(folder)).rejects.toThrow(DataDirInUse);
    await lock.release();
  });

  it('goes to exactly one of many that start at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => DataDirLock.acquire(folder)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refusals.every((refusal) => refusal instanceof DataDirInUse)).toBe(true);
  });

  it('is taken over from a process that was killed', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    leave(pid, 'any', 'running');
    leave(pid, 'any', 'waiting');
    await (await DataDirLock.acquire(folder)).release();
    expect(readdirSync(join(folder, 'lock'))).toEqual([]);
  });

  it('is taken over if the killed process’s id belongs to another process now', async () => {
    const stranger = spawn('sleep', ['60']);
    try {
      leave(stranger.pid!, 'an_earlier_start', 'running');
      await (await DataDirLock.acquire(folder)).release();
    } finally {
      stranger.kill('SIGKILL');
      await once(stranger, 'exit');
    }
  });

  it('stays with a running process', async () => {
    const holder = spawn('sleep', ['60']);
    try {
      leave(holder.pid!, processIdentity(holder.pid!)!, 'running');
      await expect(DataDirLock.acquire(folder)).rejects.toThrow(`(pid ${holder.pid})`);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
    await (await DataDirLock.acquire(folder)).release();
  });
});
