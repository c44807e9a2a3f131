import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { ServiceUnavailable } from '../common/http/http.refusals.js';
import { Randomness } from '../common/randomness.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { bcryptSecret, decoyOf, secretFor } from './password-formats/bcrypt.js';
import { readStoredPassword, type StoredPassword } from './password-string.js';

/** Hashes waiting for a thread, however fast they are, so that a flood never eats the memory. */
const LONGEST_QUEUE = 256;
/** The longest wait for a thread, about; beyond it callers get 503 with Retry-After. */
const LONGEST_WAIT_MS = 5_000;
/** Share of the newest measurement in the average time of a hash. */
const NEWEST_SHARE = 0.2;
const RETRY_AFTER_SECONDS = 2;
/** Threads run at the lowest priority: signing and everything else on the main thread goes first. */
const NICE = 19;
/** An idle thread stays this long, so that single sign-ins after one another do not start one each. */
const IDLE_MS = 60_000;

const THREADS = availableParallelism();
/** Enough for the 53 characters of a salt and a hash. */
const DECOY_BYTES = 40;

type Task =
  | { kind: 'hash'; secret: string; cost: number }
  | { kind: 'compare'; secret: string; hash: string; cost: number }
  | { kind: 'verify'; password: string; stored: StoredPassword; padTo: number };

export interface PasswordVerdict {
  readonly matches: boolean;
  /**
   * True where the stored string has a lower cost than today's, or is not ours: hash again while the password is known.
   */
  readonly outdated: boolean;
}

/**
 * Password functions in threads of their own: bcrypt, and what imported accounts bring until they sign in. Refuses with
 * 503 and Retry-After when the queue is full.
 */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly logger = new Logger(PasswordHasher.name);
  private readonly decoy: string;
  private threads: Piscina | null = null;
  /** Of one hash on its thread, a moving average; null before the first. */
  private averageMs: number | null = null;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    randomness: Randomness,
  ) {
    this.decoy = decoyOf(settings.bcryptCost, randomness.bytes(DECOY_BYTES));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads?.close({ force: true });
  }

  /** @returns the string to store */
  async hash(password: string): Promise<string> {
    const { secret, mark } = bcryptSecret(password);
    return mark + ((await this.run({ kind: 'hash', secret, cost: this.settings.bcryptCost })) as string);
  }

  /**
   * Compares with a stored string, or with a decoy of the same cost when there is none: an unknown address and a
   * passwordless account take as long as a wrong password. A wrong password for a cheaper hash is padded to the same
   * time; one for a dearer hash of another system takes longer (docs/decisions/0016).
   */
  async verify(password: string, stored: string | null): Promise<PasswordVerdict> {
    const { bcryptCost } = this.settings;
    const given = stored === null ? null : readStoredPassword(stored);
    const read = given ?? readStoredPassword(this.decoy)!;
    const secret = read.family === 'bcrypt' ? secretFor(read.mark, password) : password;
    const isOurs = read.family === 'bcrypt' && read.cost === bcryptCost;
    const equal = await this.run(
      isOurs
        ? { kind: 'compare', secret: secret ?? password, hash: read.hash, cost: read.cost }
        : { kind: 'verify', password: secret ?? password, stored: read, padTo: bcryptCost },
    );
    const matches = equal === true && given !== null && secret !== null;
    return { matches, outdated: matches && isOutdated(read, bcryptCost) };
  }

  private async run(task: Task): Promise<string | boolean> {
    const isFirst = this.threads === null;
    const pool = this.startedPool();
    const waiting = pool.queueSize;
    if (waiting >= placesInQueue(this.averageMs)) {
      throw new ServiceUnavailable('Too many sign-ins at once', RETRY_AFTER_SECONDS);
    }
    const begunAt = performance.now();
    const result = (await pool.run(task)) as string | boolean;
    if (isFirst) return result; // also waited for its thread to start
    // One that had to wait says how long those before it took: its share of the wait is what one takes.
    const tookMs = (performance.now() - begunAt) / (1 + waiting / THREADS);
    this.averageMs = this.averageMs === null ? tookMs : this.averageMs + NEWEST_SHARE * (tookMs - this.averageMs);
    return result;
  }

  /** Most commands and workers never see a password, and a thread takes 50 ms of a core to start. */
  private startedPool(): Piscina {
    if (this.threads) return this.threads;
    const pool = new Piscina({
      filename: fileURLToPath(new URL('./password-worker.js', import.meta.url)),
      minThreads: 1,
      maxThreads: THREADS,
      maxQueue: LONGEST_QUEUE,
      idleTimeout: IDLE_MS,
      niceIncrement: NICE,
      concurrentTasksPerWorker: 1,
    });
    // A thread that cannot start, for example for lack of memory: the others go on. Unheard, it would end the process.
    pool.on('error', (error: unknown) => this.logger.error(`A thread for passwords failed: ${String(error)}`));
    return (this.threads = pool);
  }
}

/** As many as all threads together do in five seconds, at least one for each. */
export function placesInQueue(averageMs: number | null): number {
  if (averageMs === null) return LONGEST_QUEUE;
  return Math.min(LONGEST_QUEUE, Math.max(THREADS, Math.floor((LONGEST_WAIT_MS * THREADS) / averageMs)));
}

/** Anything but plain bcrypt of today's cost: hash again, so that what came by import is ours from then on. */
function isOutdated(read: StoredPassword, cost: number): boolean {
  return read.family !== 'bcrypt' || read.mark === '$cut' || read.cost < cost;
}
