import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ProcessEnvironment } from './service-process.js';
import { testEnvironment } from './test-settings.js';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, for messages of failing tests. */
  readonly output: string;
}

/** `npm run cli -- …` as a real process, against the run's database and without Redis unless `env` names others. */
export async function runCommand(
  words: readonly string[],
  { env = {}, stdin = '', script = 'dist/cli.js' }: { env?: ProcessEnvironment; stdin?: string; script?: string } = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [script, ...words], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...testEnvironment(),
      REDIS_URL: 'redis://127.0.0.1:1', // nothing listens there: most commands need none
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // a command that reads nothing may be gone already
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, stdout, stderr, output: stdout + stderr };
}
