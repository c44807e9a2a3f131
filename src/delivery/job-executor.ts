import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../common/clock.js';
import { Randomness } from '../common/randomness.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { type AnyJobHandler, JobHandlers } from './job-handlers.js';
import type { JobMeta } from './job-handler.js';
import { type ClaimedMessage, OutboxRepository } from './outbox.repository.js';
import { failureReason, judgeFailure } from './retry.rules.js';

/** Claims rows and runs their handlers; the only place where a job's outcome is written down. */
@Injectable()
export class JobExecutor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(JobExecutor.name);
  private readonly inHand = new Map<ClaimedMessage, Promise<void>>();
  private readonly lanes = new Set<Promise<void>>();
  private wakes = 0;
  private stopping: Promise<void> | null = null;
  private renewal: NodeJS.Timeout | null = null;

  constructor(
    private readonly repository: OutboxRepository,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  /** Runs this row if it is due and nobody runs it; otherwise there is nothing to do. Ends with the job. */
  async runOne(id: string): Promise<void> {
    // Answering at once would use up, one after the other, wake-ups that another worker can take.
    if (this.stopping) return this.stopping;
    const message = await this.repository.claim(id, this.clock.now(), this.options.leaseSeconds);
    if (message) await this.run(message);
  }

  /** Runs what is due, and has been for `overdueSeconds`, until nothing is left. Never rejects. */
  async drain(overdueSeconds = 0): Promise<void> {
    this.wakes++;
    this.openLane(overdueSeconds);
    while (this.lanes.size > 0) await Promise.all(this.lanes);
  }

  /** Stops claiming, lets running jobs finish, gives back the rest so that another process may take them at once. */
  beforeApplicationShutdown(): Promise<void> {
    return (this.stopping ??= this.stop());
  }

  private async stop(): Promise<void> {
    const patience = new AbortController();
    const late = sleep(this.options.drainSeconds * 1_000, undefined, { signal: patience.signal });
    await Promise.race([Promise.allSettled([...this.lanes, ...this.inHand.values()]), late.catch(() => undefined)]);
    patience.abort();
    if (this.renewal) clearInterval(this.renewal);
    await Promise.all(
      [...this.inHand.keys()].map((message) => this.repository.giveBack(message).catch((error) => this.report(error))),
    );
  }

  /** A lane claims and runs one row after the other. Each row found opens one more, as long as there is room. */
  private openLane(overdueSeconds: number): void {
    if (this.stopping || this.lanes.size >= this.options.concurrency) return;
    const lane = this.followLane(overdueSeconds)
      .catch((error: unknown) => this.report(error))
      .finally(() => this.lanes.delete(lane));
    this.lanes.add(lane);
  }

  private async followLane(overdueSeconds: number): Promise<void> {
    while (!this.stopping) {
      const seen = this.wakes;
      const { leaseSeconds } = this.options;
      const message = await this.repository.claimNext(this.clock.now(), leaseSeconds, overdueSeconds);
      if (message) {
        this.openLane(overdueSeconds);
        await this.run(message);
      } else if (seen === this.wakes) {
        // Otherwise a row was announced while we looked, and all lanes may have missed it: look again.
        return;
      }
    }
  }

  private async run(message: ClaimedMessage): Promise<void> {
    const running = this.attempt(message)
      // The database is away: the lease runs out and the row is delivered again.
      .catch((error: unknown) => this.report(error))
      .finally(() => this.inHand.delete(message));
    this.inHand.set(message, running);
    this.renewal ??= setInterval(() => void this.renewLeases(), (this.options.leaseSeconds * 1_000) / 3).unref();
    await running;
  }

  private async attempt(message: ClaimedMessage): Promise<void> {
    const handler = this.handlers.find(message.job);
    const meta: JobMeta = {
      id: message.id,
      attempt: message.attempts,
      lastAttempt: message.attempts >= message.maxAttempts,
      now: this.clock.now(),
    };
    if (message.expired) return this.bury(message, handler, meta, 'expired');
    if (message.attempts > message.maxAttempts) return this.bury(message, handler, meta, 'its process died every time');
    try {
      // An old worker may meet a new kind of job during a deploy: it waits like after any failure.
      if (!handler) throw new Error(`No handler for ${message.job} in this process`);
      await this.withinTime(handler.handle(message.payload, meta));
    } catch (error) {
      return this.settleFailure(message, handler, meta, error);
    }
    await this.repository.markDone(message.id);
  }

  private async settleFailure(
    message: ClaimedMessage,
    handler: AnyJobHandler | null,
    meta: JobMeta,
    error: unknown,
  ): Promise<void> {
    const reason = failureReason(error);
    const verdict = judgeFailure(error, message, this.randomness.bytes(4).readUInt32BE() / 2 ** 32);
    if (verdict === 'dead') return this.bury(message, handler, meta, reason);
    this.logger.warn(`Job ${message.job} ${message.id} failed at attempt ${message.attempts}: ${reason}`);
    const outcome = await this.repository.retry(message, this.clock.now(), verdict.retryInSeconds, reason);
    if (outcome === 'expired') await this.mourn(message, handler, meta, reason);
  }

  private async bury(
    message: ClaimedMessage,
    handler: AnyJobHandler | null,
    meta: JobMeta,
    reason: string,
  ): Promise<void> {
    if (await this.repository.bury(message, reason)) await this.mourn(message, handler, meta, reason);
  }

  private async mourn(
    message: ClaimedMessage,
    handler: AnyJobHandler | null,
    meta: JobMeta,
    reason: string,
  ): Promise<void> {
    this.logger.error(`Job ${message.job} ${message.id} given up after ${message.attempts} attempts: ${reason}`);
    await handler?.gaveUp(message.payload, meta);
  }

  private async withinTime(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const { handlerSeconds } = this.options;
      timer = setTimeout(() => reject(new Error(`No end after ${handlerSeconds} s`)), handlerSeconds * 1_000);
    });
    try {
      await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async renewLeases(): Promise<void> {
    const ids = [...this.inHand.keys()].map((message) => message.id);
    if (ids.length > 0)
      await this.repository.renew(ids, this.options.leaseSeconds).catch((error) => this.report(error));
  }

  private report(error: unknown): void {
    this.logger.error(`Outbox: ${failureReason(error)}`);
  }
}
