import { InjectQueue } from '@nestjs/bull';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Queue } from 'bull';
import { setTimeout as sleep } from 'node:timers/promises';
import { OUTBOX_QUEUE, OutboxConnections, WAKE_UP } from './outbox-connections.js';

/** A Redis that takes longer over a wake-up counts as away (milliseconds). */
const PATIENCE = 500;

/** The Bull queue `outbox`: it carries ids of due rows, nothing else. */
@Injectable()
export class OutboxQueue implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(OutboxQueue.name);

  constructor(
    @InjectQueue(OUTBOX_QUEUE) private readonly queue: Queue,
    private readonly connections: OutboxConnections,
  ) {}

  /** Bull connects at first use; by the first announcement that would be too late. */
  onModuleInit(): void {
    void this.queue.client;
  }

  /**
   * Wakes a worker for each row. An id that is still waiting in Redis is not added twice.
   * @returns false when Redis did not take them: the rows must be found by a sweep
   */
  async push(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    if (this.queue.client.status !== 'ready') return false;
    const patience = new AbortController();
    try {
      const added = this.queue.addBulk(
        ids.map((id) => ({ name: WAKE_UP, data: {}, opts: { jobId: id, removeOnComplete: true, removeOnFail: true } })),
      );
      const late = sleep(PATIENCE, null, { signal: patience.signal });
      const jobs = await Promise.race([added, late]);
      // Bull hides the error of a single command (Redis is full) and leaves the id out.
      return jobs !== null && jobs.every((job) => Boolean(job.id));
    } catch {
      return false;
    } finally {
      patience.abort();
    }
  }

  /**
   * Runs `wake` for each id, so many at once. Not by @Processor: Nest drops the promise that says that consuming has
   * ended, and a worker that is stopped while Redis is away would die of it. (Of naming its connection likewise.)
   */
  consume(concurrency: number, wake: (id: string) => Promise<void>): void {
    Object.assign(this.queue, { setWorkerName: () => undefined });
    this.queue
      .process(WAKE_UP, concurrency, (job) => wake(String(job.id)))
      .catch((error: unknown) => this.logger.warn(`No longer consuming: ${String(error)}`));
  }

  /**
   * Without its blocking connection Bull closes at once. Otherwise it reconnects that connection while closing, and
   * waits for a Redis that is away for ever. (Nest's module closes the queue too, so this must come before.)
   */
  beforeApplicationShutdown(): void {
    Object.assign(this.queue, { bclientInitialized: false });
  }

  /** Bull leaves open the connections that it did not make itself. */
  async onApplicationShutdown(): Promise<void> {
    await this.queue.close(true);
    await this.connections.close();
  }
}
