import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { within } from '../within.js';

/** Beyond what was asked for: a server that has stopped answering must not stop the run. */
const GRACE_MS = 60_000;

/** What one keep-alive connection sends, one request after the other. */
export interface Stream {
  /** Times are reported per label. */
  readonly label: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly contentType?: string;
  /** Sent in turn. */
  readonly bodies: readonly string[];
  /** Put the refresh token of each answer into the next request, at `{refresh_token}`; begins with `chained`. */
  readonly chain?: boolean;
  readonly chained?: string | null;
  /** Rest after each answer; without it the next request follows at once. */
  readonly pauseMs?: number;
  /** A right answer has this status and this text in its body. */
  readonly status: number;
  readonly contains: string;
}

export interface Job {
  readonly port: number;
  readonly streams: readonly Stream[];
  /** Seconds before counting begins, and of counting. */
  readonly warmUp: number;
  readonly seconds: number;
  /** Whose CPU time is measured: process ids by name, everything below them included. */
  readonly processes: Readonly<Record<string, readonly number[]>>;
}

export interface Times {
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface LoadResult {
  readonly seconds: number;
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly wrong: number;
  /** A few wrong answers, to look at. */
  readonly examples: readonly string[];
  readonly labels: Readonly<Record<string, Times>>;
  /** Last refresh token of each stream, to go on with. */
  readonly chained: readonly (string | null)[];
}

/** The load generator, in its own process. */
export class Generator {
  private readonly child: ChildProcess = fork(new URL('./generator-process.mjs', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

  get pid(): number {
    return this.child.pid!;
  }

  async run(job: Job): Promise<LoadResult> {
    this.child.send(job);
    const answer = once(this.child, 'message') as Promise<[{ result?: LoadResult; error?: string }]>;
    const [message] = await within((job.warmUp + job.seconds) * 1_000 + GRACE_MS, 'the load generator', answer);
    if (!message.result) throw new Error(`The load generator failed: ${message.error}`);
    return message.result;
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}
