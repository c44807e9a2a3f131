import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { within } from './within.js';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Until a script has told something; those that measure are given as many seconds more as they measure. */
const TELL_MS = 120_000;
const ANSWER_MS = 5_000;

export type Environment = Readonly<Record<string, string>>;

/** Processes of a run; what is still alive when the run ends, however it ends, is killed. */
export class Processes {
  private readonly children = new Set<ChildProcess>();

  constructor() {
    process.on('exit', () => this.killAll());
  }

  killAll(): void {
    for (const child of this.children) child.kill('SIGKILL');
  }

  /**
   * A script of this folder in plain Node; resolves with the first thing that it tells.
   * @param extraMs for a script that measures first
   */
  async tell<Told>(
    script: string,
    args: readonly string[],
    message?: object,
    extraMs = 0,
  ): Promise<{ pid: number; told: Told }> {
    const child = this.keep(
      fork(new URL(script, import.meta.url), args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    if (message) child.send(message);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`${script} ended with ${String(code)} before it told anything`);
    });
    const told = Promise.race([once(child, 'message'), failed]) as Promise<[Told]>;
    try {
      const [first] = await within(TELL_MS + extraMs, script, told);
      return { pid: child.pid!, told: first };
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** A program whose output goes to a file, as under a service manager. */
  start(program: string, args: readonly string[], env: Environment, log: string): ChildProcess {
    const output = openSync(log, 'a');
    return this.keep(spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', output, output] }));
  }

  async stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await within(20_000, 'the end of a process', exited).finally(() => clearTimeout(late));
  }

  private keep(child: ChildProcess): ChildProcess {
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    return child;
  }
}

/** Asks every few milliseconds until the answer is 2xx. @returns milliseconds that passed */
export async function untilAnswered(url: string, child: ChildProcess, patience = 60_000): Promise<number> {
  for (const begun = performance.now(); performance.now() - begun < patience; await sleep(3)) {
    if (child.exitCode !== null) throw new Error(`The process behind ${url} ended with ${child.exitCode}`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
    if (answer?.ok) return performance.now() - begun;
  }
  throw new Error(`No answer from ${url}`);
}
