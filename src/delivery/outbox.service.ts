import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../common/randomness.js';
import type { JobName, Jobs } from './jobs.js';
import { pendingAnnouncements } from './outbox-announcer.js';
import { type DeadLetter, OutboxRepository } from './outbox.repository.js';
import type { QueueName } from './queues.js';
import { DEFAULT_MAX_ATTEMPTS } from './retry.rules.js';

export interface OutboxOptions {
  /** Earliest time to run it; default at once. */
  readonly availableAt?: Date;
  /** After this time it is not delivered and becomes a dead letter. */
  readonly expiresAt?: Date;
  /** Default 15: with the usual backoff about five hours. */
  readonly maxAttempts?: number;
}

/** Adds jobs, which are run after the commit, at least once, or become dead letters. */
@Injectable()
export class Outbox {
  constructor(
    private readonly repository: OutboxRepository,
    private readonly randomness: Randomness,
  ) {}

  /**
   * Writes the job in the caller's transaction. It is announced after the commit, and a rollback removes it.
   * @returns id of the job, the `meta.id` of its handler
   * @throws Error outside a transaction
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
