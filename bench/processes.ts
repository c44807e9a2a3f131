import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

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

  /** A script of this folder in plain Node; resolves with the first thing that it tells. */
  async tell<Told>(script: string, args: readonly string[], message?: object): Promise<{ pid: number; told: Told }> {
    const child = this.keep(
      fork(new URL(script, import.meta.url), args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    if (message) child.send(message);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`${script} ended with ${String(code)} before it told anything`);
    });
    const [told] = (await Promise.race([once(child, 'message'), failed])) as [Told];
    return { pid: child.pid!, told };
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
    await exited;
    clearTimeout(late);
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
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return performance.now() - begun;
  }
  throw new Error(`No answer from ${url}`);
}
