import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { startProcess } from '../../support/service-process.js';
import { eventually } from '../../support/wait.js';

const listens = (line: string) => line.includes('Listening on');

describe('Ctrl-C in the terminal of a cluster', () => {
  it('stops it with code 0 although the workers receive the signal too', async () => {
    const service = await startProcess('dist/main.js', { WEB_CONCURRENCY: '2' });
    // Until then a worker that is still starting has no say in how it ends.
    await eventually('two workers that listen', () => service.logs().filter(listens).length === 2);
    const workers = execFileSync('pgrep', ['-P', String(service.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(workers).toHaveLength(2);
    for (const worker of workers) process.kill(Number(worker), 'SIGINT');
    expect(await service.kill('SIGINT')).toEqual({ code: 0, signal: null });
  });
});
