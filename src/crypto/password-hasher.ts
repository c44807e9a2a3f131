import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { ServiceUnavailable } from '../common/http/http.refusals.js';
import { Semaphore } from '../common/concurrency/semaphore.js';
import { Randomness } from '../common/randomness.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { bcryptSecret, decoyOf, secretFor } from './password-formats/bcrypt.js';
import { readStoredPassword, type StoredPassword } from './password-string.js';

/**
 * Maximum number of hashes that wait for a thread, however fast they are, so that a flood cannot exhaust the memory.
 */
const MAX_QUEUE_LENGTH = 256;
/** Approximate maximum wait for a thread; beyond it, callers get 503 with Retry-After. */
const MAX_WAIT_MS = 5_000;
/** Weight of the newest measurement in the moving average. */
const NEWEST_SHARE = 0.2;
const RETRY_AFTER_SECONDS = 2;
/** Threads run at the lowest priority, so that signing and all other work on the main thread goes first. */
const NICE = 19;
/** Idle time after which a thread ends. Keeps threads between single sign-ins. */
const IDLE_MS = 60_000;

const THREADS = availableParallelism();
/**
 * Maximum number of threads that hash new passwords, so that a comparison always finds a thread without such a hash, or
 * one that is free soon.
 */
const THREADS_FOR_NEW = Math.ceil(THREADS / 2);
/** Enough for the 53 characters of a salt and a hash. */
const DECOY_BYTES = 40;

type Task =
  | { kind: 'hash'; secret: string; cost: number }
  | { kind: 'compare'; secret: string; hash: string; cost: number }
  | { kind: 'verify'; password: string; stored: StoredPassword; padTo: number };

export interface PasswordVerdict {
  readonly matches: boolean;
  /**
   * True if the stored hash has a lower cost than the current setting, or is not the service's own. The caller, who
   * knows the password, should hash it again.
   */
  readonly outdated: boolean;
}

/**
 * Password functions in worker threads: bcrypt, and the formats of imported hashes until their users sign in. Refuses
 * with 503 and Retry-After if the queue is full.
 */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly logger = new Logger(PasswordHasher.name);
  private readonly decoy: string;
  private threads: Piscina | null = null;
  /** Moving average of the time of one hash; null before the first. */
  private averageMs: number | null = null;
  private readonly newHashes = new Semaphore(THREADS_FOR_NEW);
  /** Number of waiting new hashes by owner. */
  private readonly waiting = new Map<string, number>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    randomness: Randomness,
  ) {
    this.decoy = decoyOf(settings.bcryptCost, randomness.bytes(DECOY_BYTES));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads?.close({ force: true });
  }

  /**
   * New hashes use half of the threads, so that they do not delay sign-ins, and owners take turns, so that they do not
   * delay each other (docs/decisions/0098).
   * @param owner whose queue the hash counts against, for example a tenant or a network address
   * @returns the string to store
   */
  async hash(password: string, owner: string): Promise<string> {
    return this.hashAndRelease(password, await this.turn(owner));
  }

  /** For a hash that can wait for a later sign-in. @returns null if all threads for new hashes are in use */
  async hashIfFree(password: string): Promise<string | null> {
    const release = this.newHashes.tryAcquire();
    return release && this.hashAndRelease(password, release);
  }

  private async hashAndRelease(password: string, release: () => void): Promise<string> {
    const { secret, mark } = bcryptSecret(password);
    try {
      return mark + ((await this.run({ kind: 'hash', secret, cost: this.settings.bcryptCost })) as string);
    } finally {
      release();
    }
  }

  /**
   * Compares with a stored string, or with a decoy of the same cost if there is none, so that an unknown address and an
   * account without a password take as long as a wrong password. A wrong password for a cheaper hash is extended to
   * the same time; one for a more expensive imported hash takes longer (docs/decisions/0016).
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

  /** No owner can fill the queue: each may have at most as many places in it as are still free. */
  private async turn(owner: string): Promise<() => void> {
    const own = this.waiting.get(owner) ?? 0;
    const all = [...this.waiting.values()].reduce((sum, count) => sum + count, 0);
    if (own >= queueCapacity(this.averageMs, THREADS_FOR_NEW) - all) throw tooMany();
    this.waiting.set(owner, own + 1);
    try {
      return await this.newHashes.acquire([{ key: owner, max: THREADS_FOR_NEW }]);
    } finally {
      const left = this.waiting.get(owner)! - 1;
      if (left > 0) this.waiting.set(owner, left);
      else this.waiting.delete(owner);
    }
  }

  private async run(task: Task): Promise<string | boolean> {
    const pool = this.startedPool();
    const waiting = pool.queueSize;
    if (waiting >= queueCapacity(this.averageMs, THREADS)) throw tooMany();
    // Its time in the thread: with the start of a thread, the first of many sign-ins at once would seem slow.
    const { result, ms } = (await pool.run(task)) as { result: string | boolean; ms: number };
    this.averageMs = this.averageMs === null ? ms : this.averageMs + NEWEST_SHARE * (ms - this.averageMs);
    return result;
  }

  /**
   * Started on first use: most commands and workers never hash or check a password, and a thread takes 50 ms of a core
   * to start.
   */
  private startedPool(): Piscina {
    if (this.threads) return this.threads;
    const pool = new Piscina({
      filename: fileURLToPath(new URL('./password-worker.js', import.meta.url)),
      minThreads: 1,
      maxThreads: THREADS,
      maxQueue: MAX_QUEUE_LENGTH,
      idleTimeout: IDLE_MS,
      niceIncrement: NICE,
      concurrentTasksPerWorker: 1,
    });
    // A thread cannot start, for example for lack of memory; the others continue. Without a listener, the error would
    // end the process.
    pool.on('error', (error: unknown) => this.logger.error(`A thread for passwords failed: ${String(error)}`));
    return (this.threads = pool);
  }
}

function tooMany(): ServiceUnavailable {
  return new ServiceUnavailable('Too many sign-ins at once', RETRY_AFTER_SECONDS);
}

/** As many hashes as all threads compute in five seconds, at least one for each thread. */
export function queueCapacity(averageMs: number | null, threads: number): number {
  if (averageMs === null) return MAX_QUEUE_LENGTH;
  return Math.min(MAX_QUEUE_LENGTH, Math.max(threads, Math.floor((MAX_WAIT_MS * threads) / averageMs)));
}

/** Anything but plain bcrypt of at least the current cost is hashed again, so that imported hashes are replaced. */
function isOutdated(read: StoredPassword, cost: number): boolean {
  return read.family !== 'bcrypt' || read.mark === '$cut' || read.cost < cost;
}
