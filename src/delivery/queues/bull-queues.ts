import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Queue } from 'bull';
import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANNOUNCEMENT_JOB, type Announcement, BullConnections } from './bull-connections.js';
import { QUEUE_CONCURRENCY, type QueuedRow, type QueueName } from './queues.js';

/** If an announcement takes longer, Redis counts as unavailable. */
const PUSH_TIMEOUT_MS = 500;

/** The parts of a Bull queue that its types leave out. */
interface Inside {
  readonly bclient: Redis;
  readonly bclientInitialized?: boolean;
}

/** Bull's queues. They contain only ids of due rows and their groups. */
@Injectable()
export class BullQueues implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(BullQueues.name);
  private readonly consumers: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly connections: BullConnections,
    private readonly queues: readonly Queue[],
  ) {
    for (const queue of queues) this.holdConsumers(queue);
  }

  /** Connects at the start. Bull would connect on first use, which is too late for the first announcement. */
  onModuleInit(): void {
    for (const queue of this.queues) void queue.client;
  }

  /**
   * Announces each row. An id that is still waiting in Redis is not added twice.
   * @returns false if Redis did not accept them: a sweep must find the rows
   */
  async push(name: QueueName, rows: readonly QueuedRow[]): Promise<boolean> {
    const queue = this.queues.find((each) => each.name === name)!;
    if (rows.length === 0) return true;
    if (queue.client.status !== 'ready') return false;
    const timeout = new AbortController();
    try {
      const added = queue.addBulk(
        rows.map(({ id, group }) => ({
          name: ANNOUNCEMENT_JOB,
          data: { group } satisfies Announcement,
          opts: { jobId: id, removeOnComplete: true, removeOnFail: true },
        })),
      );
      const late = sleep(PUSH_TIMEOUT_MS, null, { signal: timeout.signal });
      const jobs = await Promise.race([added, late]);
      // Bull ignores the error of a single command (Redis is full) and leaves the id out.
      return jobs !== null && jobs.every((job) => Boolean(job.id));
    } catch {
      return false;
    } finally {
      timeout.abort();
    }
  }

  /** Starts the `@Processor` classes that Nest has registered. Not called in a process that only announces. */
  consume(): void {
    for (const start of this.consumers.splice(0)) {
      start().catch((error: unknown) => this.logger.warn(`No longer consuming: ${String(error)}`));
    }
  }

  /**
   * Takes no announcement from now on, so that other workers get them while this process drains. Bull's own `pause`
   * opens the blocking connection again, which takes as long as Redis is unavailable.
   */
  onModuleDestroy(): void {
    for (const queue of this.queues) {
      Object.assign(queue, { paused: new Promise(() => undefined) });
      const inside = queue as unknown as Inside;
      if (inside.bclientInitialized) inside.bclient.disconnect();
    }
  }

  /**
   * Without a blocking connection, Bull closes at once. Otherwise it reconnects that connection while closing, and
   * waits forever if Redis is unavailable. Nest's module closes the queues too, so this must run before it.
   */
  beforeApplicationShutdown(): void {
    for (const queue of this.queues) Object.assign(queue, { bclientInitialized: false });
  }

  /** Bull does not close connections that it did not create itself. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close(true)));
    await this.connections.close();
  }

  /**
   * Nest registers `@Processor` classes while the modules start, and drops the promise that resolves when consuming has
   * ended: a worker that is stopped while Redis is unavailable would crash. So this only stores them, and {@link
   * consume} starts them later and keeps the promise, with as many concurrent announcements as the queue has slots.
   * Bull also drops the promise of naming its connection.
   */
  private holdConsumers(queue: Queue): void {
    const process = queue.process.bind(queue) as (name: string, atOnce: number, work: unknown) => Promise<unknown>;
    const { total } = QUEUE_CONCURRENCY[queue.name as QueueName];
    const hold = (name: string, work: unknown) => this.consumers.push(() => process(name, total, work));
    Object.assign(queue, { process: hold, setWorkerName: () => undefined });
  }
}
