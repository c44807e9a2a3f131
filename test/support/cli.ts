import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { ProcessEnvironment } from './service-process.js';
import { testEnvironment } from './test-settings.js';

export interface CommandResult {
  readonly code: number | null;
  /** Standard output. */
  readonly said: string;
  /** Both, for messages of failing tests. */
  readonly output: string;
}

/** `npm run cli -- …` as an operator runs it: the built command line in a process of its own. */
export async function runCli(args: readonly string[], env: ProcessEnvironment = {}): Promise<CommandResult> {
  const child = spawn(process.execPath, ['dist/cli.js', ...args], {
    env: { PATH: process.env['PATH'], ...testEnvironment(), REDIS_URL: 'redis://127.0.0.1:1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, said, output: said + complained };
}
