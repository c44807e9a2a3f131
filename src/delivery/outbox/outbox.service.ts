import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../common/randomness.js';
import { groupKey } from './group-keys.rules.js';
import type { JobName, Jobs } from './jobs.js';
import { pendingAnnouncements } from './outbox-announcer.js';
import { OutboxRepository } from './outbox.repository.js';
import type { QueueName } from '../queues/queues.js';
import { DEFAULT_MAX_ATTEMPTS } from './retry.rules.js';

export interface OutboxOptions {
  /**
   * Group of the job: the id of a tenant or an app; null: the service itself. Groups take turns, so that none waits for
   * the work of another.
   */
  readonly group: string | null;
  /** The app of that tenant whose administrators cause the job: the apps of a tenant take turns for its slots. */
  readonly app?: string | null;
  /** Earliest time to run the job; by default at once. */
  readonly availableAt?: Date;
  /** After this time the job is not run any more and becomes a dead letter. */
  readonly expiresAt?: Date;
  /** 15 by default: with the usual backoff about five hours. */
  readonly maxAttempts?: number;
}

/** Adds jobs, which run after the commit, at least once, or become dead letters. */
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
    options: OutboxOptions,
  ): Promise<string> {
    if (!tx.queryRunner?.isTransactionActive) throw new Error(`The job ${job} was added outside a transaction`);
    const id = this.randomness.uuid();
    const group = groupKey(options);
    await this.repository.insert(tx, {
      id,
      queue,
      group,
      job,
      payload,
      maxAttempts: options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
      availableAt: options.availableAt ?? null,
      expiresAt: options.expiresAt ?? null,
    });
    if (!options.availableAt) pendingAnnouncements(tx.queryRunner).push({ queue, id, group });
    return id;
  }

  /**
   * As {@link add}, unless the same job is already pending in the group. It does not wait for another transaction that
   * adds one: the caller must hold a lock, or a second run must be harmless.
   */
  async addUnlessWaiting<K extends JobName>(
    tx: EntityManager,
    queue: QueueName,
    job: K,
    payload: Jobs[K],
    options: OutboxOptions,
  ): Promise<void> {
    const group = groupKey(options);
    if (await this.repository.isWaiting(tx, { queue, group, job, payload })) return;
    await this.add(tx, queue, job, payload, options);
  }
}
