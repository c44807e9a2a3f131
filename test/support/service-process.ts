import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { testRedisUrl } from './redis.js';
import { testEnvironment } from './test-settings.js';
import { eventually } from './wait.js';

/** A real process of the built service. */
export interface ServiceProcess {
  readonly baseUrl: string;
  readonly pid: number;
  /** Every line written so far, to standard output and standard error. */
  logs(): string[];
  /** Sends the signal and resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
  readonly exited: Promise<Exit>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartOptions {
  /** The line that says that it is up; by default `GET /health/live` is asked instead. */
  readonly readyLine?: RegExp;
}

/** Values replace those of the test environment; `undefined` removes one. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<ChildProcess>();

// A test that fails must not leave processes behind.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * Starts `dist/main.js`, `dist/worker.js` or another entry on a free port, against the run's database and Redis unless
 * `env` names others. Resolves when it is up.
 */
export async function startProcess(
  entry: string,
  env: ProcessEnvironment = {},
  options: StartOptions = {},
): Promise<ServiceProcess> {
  const port = env['PORT'] ?? String(await freePort());
  const baseUrl = env['BASE_URL'] ?? `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [entry], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...testEnvironment(),
      REDIS_URL: testRedisUrl(),
      PORT: port,
      BASE_URL: baseUrl,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  // `exit` may come before the last lines have been read.
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  const service: ServiceProcess = {
    baseUrl,
    pid: child.pid!,
    logs: () => [...lines],
    kill: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
    exited,
  };
  await Promise.race([isUp(child, `http://127.0.0.1:${port}`, lines, options), failsEarly(entry, exited, lines)]);
  return service;
}

async function isUp(
  child: ChildProcess,
  address: string,
  lines: readonly string[],
  { readyLine }: StartOptions,
): Promise<void> {
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null; // failsEarly has told already
  const says = (line: RegExp): boolean => lines.some((written) => line.test(written));
  const answers = async (): Promise<boolean> => (await fetch(`${address}/health/live`)).ok;
  const up = (): Promise<boolean> | boolean => ended() || (readyLine ? says(readyLine) : answers());
  try {
    await eventually('the process is up', up, { within: 90_000, every: 30 }); // two cores may be shared by many
  } catch (cause) {
    throw new Error(`Not up in time. It wrote:\n${lines.join('\n')}`, { cause });
  }
}

async function failsEarly(entry: string, exited: Promise<Exit>, lines: readonly string[]): Promise<never> {
  const { code, signal } = await exited;
  throw new Error(`${entry} ended with ${signal ?? code} before it was up:\n${lines.join('\n')}`);
}
