import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../common/randomness.js';
import type { JobName, Jobs } from './jobs.js';
import { pendingAnnouncements } from './outbox-announcer.js';
import { type DeadLetter, OutboxRepository } from './outbox.repository.js';
import type { QueueName } from './queues.js';
import { DEFAULT_MAX_ATTEMPTS } from './retry.rules.js';

export interface OutboxOptions {
  /** Not before; default at once. */
  readonly availableAt?: Date;
  /** Not worth delivering from then on: it becomes a dead letter. */
  readonly expiresAt?: Date;
  /** Default 15: with the usual backoff about five hours. */
  readonly maxAttempts?: number;
}

/** Promises work: what is added is done after the commit, at least once, or shows among the dead letters. */
@Injectable()
export class Outbox {
  constructor(
    private readonly repository: OutboxRepository,
    private readonly randomness: Randomness,
  ) {}

  /**
   * Writes the job in the caller's transaction; it is announced once that has committed and vanishes with its rollback.
   * @returns id of the job, the `meta.id` of its handler
   * @throws Error outside a transaction: the promise would not be tied to anything
   */
  async add<K extends JobName>(
    tx: EntityManager,
    queue: QueueName,
    job: K,
    payload: Jobs[K],
    options: OutboxOptions = {},
  ): Promise<string> {
    if (!tx.queryRunner?.isTransactionActive) throw new Error(`The job ${job} was added outside a transaction`);
    const id = this.randomness.uuid();
    await this.repository.insert(tx, {
      id,
      queue,
      job,
      payload,
      maxAttempts: options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
      availableAt: options.availableAt ?? null,
      expiresAt: options.expiresAt ?? null,
    });
    if (!options.availableAt) pendingAnnouncements(tx.queryRunner).push({ queue, id });
    return id;
  }

  /** Jobs given up, newest first. */
  listDead(limit = 100): Promise<DeadLetter[]> {
    return this.repository.listDead(limit);
  }
}
