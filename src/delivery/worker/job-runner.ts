import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Randomness } from '../../common/randomness.js';
import { type AnyJobHandler, JobHandlers } from './job-handlers.js';
import type { JobMeta } from './job-handler.js';
import { countJob } from './job-outcomes.js';
import { type ClaimedMessage, OutboxRepository } from '../outbox/outbox.repository.js';
import { failureReason } from '../engine/failure-reason.js';
import { judgeFailure } from '../outbox/retry.rules.js';

/** Time until a job that this process does not know is due again, for this process or a newer one. */
const UNKNOWN_AGAIN_SECONDS = 10;
const MS_BETWEEN_WARNINGS = 60_000;

/** Runs the handler of a claimed job and is the only place that records its result. */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger(JobRunner.name);
  /** When a warning about an unknown kind of job was last logged, by its name. */
  private readonly warnedAtMs = new Map<string, number>();

  constructor(
    private readonly repository: OutboxRepository,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
    private readonly randomness: Randomness,
  ) {}

  /** Rejects only if the result could not be recorded: the lease then expires and the job runs again. */
  async run(message: ClaimedMessage): Promise<void> {
    if (message.expired) return this.markDead(message, 'expired');
    if (message.attempts > message.maxAttempts) return this.markDead(message, 'its process died every time');
    const handler = this.handlers.find(message.job);
    if (!handler) return this.leave(message);
    try {
      await handler.handle(message.payload, this.metaOf(message));
    } catch (error) {
      return this.fail(message, error);
    }
    await this.repository.markDone(message.id);
    countJob(message.job, 'done');
  }

  /**
   * During a deployment, an old worker may find a job of a new kind. A newer worker runs it, however long the deployment
   * takes, so it uses no attempt.
   */
  private async leave(message: ClaimedMessage): Promise<void> {
    const { job } = message;
    const reason = `No handler for ${job} in this process`;
    const nowMs = performance.now();
    if (nowMs - (this.warnedAtMs.get(job) ?? Number.NEGATIVE_INFINITY) >= MS_BETWEEN_WARNINGS) {
      this.warnedAtMs.set(job, nowMs);
      this.logger.warn(`${reason}: jobs of this kind wait for a worker of a newer version`);
    }
    await this.repository.leave(message, this.clock.now(), UNKNOWN_AGAIN_SECONDS, reason);
    countJob(job, 'unknown');
  }

  /** Schedules a retry, or gives up. */
  async fail(message: ClaimedMessage, error: unknown): Promise<void> {
    const reason = failureReason(error);
    const verdict = judgeFailure(error, message, this.randomness.bytes(4).readUInt32BE() / 2 ** 32);
    if (verdict === 'dead') return this.markDead(message, reason);
    this.logger.warn(`Job ${message.job} ${message.id} failed at attempt ${message.attempts}: ${reason}`);
    const outcome = await this.repository.retry(message, this.clock.now(), verdict.retryInSeconds, reason);
    if (outcome === 'expired') await this.notifyGivenUp(message, reason);
    else countJob(message.job, 'retried');
  }

  private async markDead(message: ClaimedMessage, reason: string): Promise<void> {
    if (await this.repository.markDead(message, reason)) await this.notifyGivenUp(message, reason);
  }

  private async notifyGivenUp(message: ClaimedMessage, reason: string): Promise<void> {
    this.logger.error(`Job ${message.job} ${message.id} failed after ${message.attempts} attempts: ${reason}`);
    countJob(message.job, 'dead');
    const handler: AnyJobHandler | null = this.handlers.find(message.job);
    await handler?.gaveUp(message.payload, this.metaOf(message));
  }

  private metaOf({ id, attempts, maxAttempts }: ClaimedMessage): JobMeta {
    const finish: JobMeta['finish'] = (tx) => this.repository.markDone(id, tx);
    return { id, attempt: attempts, lastAttempt: attempts >= maxAttempts, now: this.clock.now(), finish };
  }
}
