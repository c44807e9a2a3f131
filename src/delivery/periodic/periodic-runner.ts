import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { discover } from '../../common/discovered.js';
import { PeriodicJob } from './periodic-job.js';
import { failureReason } from '../engine/failure-reason.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from '../worker/delivery-options.js';

/** Delay of the first run after the start, so that the first requests are not slowed down. */
const FIRST_AFTER_SECONDS = 5;
/**
 * Each job uses one pooled connection for its lock and others for its work, so this must be well below the pool's size.
 */
const MAX_PARALLEL_JOBS = 3;
const BUSY_RETRY_SECONDS = 1;

/** Runs every {@link PeriodicJob} of this process. Errors are logged, and the job runs again at the next interval. */
@Injectable()
export class PeriodicRunner implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(PeriodicRunner.name);
  private readonly timers = new Map<PeriodicJob, NodeJS.Timeout>();
  private readonly running = new Set<Promise<unknown>>();
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly dataSource: DataSource,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  onApplicationBootstrap(): void {
    for (const job of discover(this.discovery, PeriodicJob))
      this.schedule(job, Math.min(job.everySeconds, FIRST_AFTER_SECONDS));
  }

  /** No job begins from now on. Running jobs and the queues finish at the same time. */
  onModuleDestroy(): void {
    this.stopping ??= this.stop();
  }

  /** Resolves when running jobs have finished, or were given up. */
  beforeApplicationShutdown(): Promise<void> {
    return (this.stopping ??= this.stop());
  }

  /**
   * Runs the job now, unless a process is already running it. Never rejects. The lock is held by a separate
   * transaction, so that it always ends with the connection.
   */
  async runOnce(job: PeriodicJob): Promise<'ran' | 'running elsewhere' | 'failed'> {
    try {
      return await this.dataSource.transaction(async (tx) => {
        // The transaction is idle while the job works; the usual limit would end it after ten seconds.
        await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        const [lock] = await tx.query<{ taken: boolean }[]>(
          `SELECT pg_try_advisory_xact_lock(hashtextextended('periodic:' || $1, 0)) AS taken`,
          [job.name],
        );
        if (!lock?.taken) return 'running elsewhere';
        await job.run();
        return 'ran';
      });
    } catch (error) {
      this.logger.error(`Periodic job ${job.name}: ${failureReason(error)}`);
      return 'failed';
    }
  }

  private async stop(): Promise<void> {
    for (const timer of this.timers.values()) clearTimeout(timer);
    let patience: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (patience = setTimeout(resolve, this.options.drainSeconds * 1_000)));
    await Promise.race([Promise.all(this.running), late]);
    clearTimeout(patience);
  }

  private schedule(job: PeriodicJob, seconds: number): void {
    if (this.stopping) return;
    this.timers.set(job, setTimeout(() => this.turn(job), seconds * 1_000).unref());
  }

  private turn(job: PeriodicJob): void {
    if (this.running.size >= MAX_PARALLEL_JOBS) return this.schedule(job, BUSY_RETRY_SECONDS);
    const run = this.runOnce(job).then(() => {
      this.running.delete(run);
      this.schedule(job, job.everySeconds);
    });
    this.running.add(run);
  }
}
