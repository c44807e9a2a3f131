import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { discover } from '../../common/discovered.js';
import { firstRuns } from './first-runs.rules.js';
import { PeriodicJob } from './periodic-job.js';
import { allowLongStatements } from '../../database/connection/long-statements.js';
import { failureReason } from '../engine/failure-reason.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from '../worker/delivery-options.js';

/**
 * Each job uses one pooled connection for its lock and others for its work, so this must be well below the pool's size.
 */
const MAX_PARALLEL_JOBS = 4;
/** A purge with a backlog takes hours. Sealing, sweeps, scheduled changes and deletions need free slots all the time. */
const MAX_LONG_JOBS = 2;
const BUSY_RETRY_SECONDS = 1;

/** Runs every {@link PeriodicJob} of this process. Errors are logged, and the job runs again at the next interval. */
@Injectable()
export class PeriodicRunner implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(PeriodicRunner.name);
  private readonly timers = new Map<PeriodicJob, NodeJS.Timeout>();
  private readonly running = new Map<PeriodicJob, Promise<unknown>>();
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly dataSource: DataSource,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  onApplicationBootstrap(): void {
    for (const [job, seconds] of firstRuns(discover(this.discovery, PeriodicJob))) this.schedule(job, seconds);
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
        const [lock] = await tx.query<{ taken: boolean }[]>(
          `SELECT pg_try_advisory_xact_lock(hashtextextended('periodic:' || $1, 0)) AS taken`,
          [job.name],
        );
        if (!lock?.taken) return 'running elsewhere';
        await this.keepLock(tx, job);
        return 'ran';
      });
    } catch (error) {
      this.logger.error(`Periodic job ${job.name}: ${failureReason(error)}`);
      return 'failed';
    }
  }

  /**
   * The transaction is idle while the job works: it shows the server that this process still exists. If the server does
   * not answer, the lock is lost, and another process may run the job as well.
   */
  private async keepLock(tx: EntityManager, job: PeriodicJob): Promise<void> {
    const { lockSeconds } = this.options;
    await tx.query(`SET LOCAL idle_in_transaction_session_timeout = ${lockSeconds * 1_000}`);
    await allowLongStatements(tx.queryRunner!, lockSeconds * 1_000);
    let answered = null as Promise<unknown> | null;
    const beat = setInterval(
      () => {
        answered ??= tx
          .query('SELECT 1')
          .then(() => (answered = null))
          .catch((error: unknown) => {
            this.logger.warn(`Periodic job ${job.name} has lost its lock: ${failureReason(error)}`);
            clearInterval(beat);
          });
      },
      (lockSeconds * 1_000) / 4,
    );
    try {
      await job.run();
    } finally {
      clearInterval(beat);
      await answered;
    }
  }

  private async stop(): Promise<void> {
    for (const timer of this.timers.values()) clearTimeout(timer);
    let patience: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (patience = setTimeout(resolve, this.options.drainSeconds * 1_000)));
    await Promise.race([Promise.all(this.running.values()), late]);
    clearTimeout(patience);
  }

  private schedule(job: PeriodicJob, seconds: number): void {
    if (this.stopping) return;
    this.timers.set(job, setTimeout(() => this.turn(job), seconds * 1_000).unref());
  }

  private turn(job: PeriodicJob): void {
    if (!this.hasSlotFor(job)) return this.schedule(job, BUSY_RETRY_SECONDS);
    const run = this.runOnce(job).then(() => {
      this.running.delete(job);
      this.schedule(job, job.everySeconds);
    });
    this.running.set(job, run);
  }

  private hasSlotFor({ isLong }: PeriodicJob): boolean {
    if (this.running.size >= MAX_PARALLEL_JOBS) return false;
    return !isLong || [...this.running.keys()].filter((job) => job.isLong).length < MAX_LONG_JOBS;
  }
}
