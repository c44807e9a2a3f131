import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { findProgram } from './servers/program.js';
import { eventually } from './wait.js';

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A Redis of the test's own, to be killed, hung and emptied. It keeps nothing. */
export class OwnRedis {
  readonly url: string;
  private child: ChildProcess | null = null;

  private constructor(private readonly port: number) {
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort());
    await redis.start();
    return redis;
  }

  /** Also after a kill: on the same port, empty. */
  async start(): Promise<void> {
    const program = findProgram('Redis');
    const place = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', tmpdir()];
    this.child = spawn(program, [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    running.add(this.child);
    await eventually('Redis answers', () => this.ask((redis) => redis.ping()));
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.child = null;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    running.delete(child);
  }

  hang(): void {
    this.child?.kill('SIGSTOP');
  }

  wakeUp(): void {
    this.child?.kill('SIGCONT');
  }

  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined);
    try {
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }
}
