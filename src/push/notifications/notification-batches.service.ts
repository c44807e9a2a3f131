import { Injectable, Logger } from '@nestjs/common';
import { ServiceUnavailable } from '../../common/http/http.refusals.js';
import { ConcurrencyLimiter } from '../../common/concurrency/concurrency-limiter.js';
import { Transactions } from '../../database/transactions.js';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import { batchIdOf, indexInBatch } from './batch-ids.rules.js';
import type { Notification } from './notification.entity.js';
import { type LeasedBatch, NotificationsRepository } from './notifications.repository.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    /** A batch that could not be written: for the last attempt, and for retries by an operator. */
    'push.write_batch': { readonly appId: string; readonly batchId: string };
  }
}

/** Most batches that a list of notifications writes first, and maximum wait for a permit. */
const MAX_BATCHES = 3;
const PATIENCE_MS = 2_000;
/** Concurrent writes by lists in a process, for all apps: each batch may have ten megabytes. */
const WRITES_AT_ONCE = 1;
/** Concurrent reads of batches for a single notification. */
const READS_AT_ONCE = 2;
const READS_OF_APP = 1;
const RETRY_SECONDS = 2;
/** Takes more than three hours. */
const MAX_ATTEMPTS = 12;
/** The largest integer of PostgreSQL. */
const ANY_ATTEMPT = 2 ** 31 - 1;

/**
 * The worker writes batches. After the answer, a notification can be read at once: from its batch until that is written
 * (docs/decisions/0087).
 */
@Injectable()
export class NotificationBatches {
  private readonly logger = new Logger(NotificationBatches.name);
  private readonly writes = new ConcurrencyLimiter(WRITES_AT_ONCE);
  private readonly reads = new ConcurrencyLimiter(READS_AT_ONCE);

  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly transactions: Transactions,
    private readonly outbox: Outbox,
  ) {}

  /**
   * A notification, whether its batch is written or not. Writes nothing, and does not wait for writers.
   * @param appId whose batches are searched
   * @throws ServiceUnavailable if many requests of the app wait
   */
  async find(appId: string, id: string): Promise<Notification | null> {
    const known = await this.notifications.find(id);
    if (known) return known;
    const read = () => this.notifications.findInBatch(appId, batchIdOf(id), indexInBatch(id));
    const options = { limits: [[{ key: appId, max: READS_OF_APP }]], signal: AbortSignal.timeout(PATIENCE_MS) };
    const waiting = await this.reads.run(read, options).catch((error: unknown) => {
      throw options.signal.aborted
        ? new ServiceUnavailable('Too many notifications are being read', RETRY_SECONDS)
        : error;
    });
    // It may have been written in the meantime.
    return waiting ? { ...waiting, id } : this.notifications.find(id);
  }

  /**
   * Writes the newest pending batches of this app, as far as it gets a permit. Batches that are not written are not in
   * the list yet.
   */
  async writeNewest(appId: string): Promise<void> {
    const waiting = await this.notifications.listNewestBatches(appId, MAX_BATCHES);
    if (waiting.length === 0) return;
    const options = { limits: [[{ key: appId, max: WRITES_AT_ONCE }]], signal: AbortSignal.timeout(PATIENCE_MS) };
    for (const id of waiting) {
      try {
        await this.writes.run(() => this.notifications.writeBatch(id), options);
      } catch (error) {
        // The worker will write it.
        if (options.signal.aborted) return;
        this.logger.warn(`Batch ${id} of app ${appId} could not be written for a list: ${failureReason(error)}`);
      }
    }
  }

  /** Writes the oldest pending batch of this app, or schedules its next attempt. @returns whether there was one */
  async writeOldest(appId: string): Promise<boolean> {
    const batch = await this.notifications.leaseOldestBatch(appId);
    if (!batch) return false;
    // More attempts than the maximum: the process died during the last one.
    const isWritten = batch.attempt <= MAX_ATTEMPTS && (await this.tryToWrite(appId, batch));
    if (!isWritten && batch.attempt >= MAX_ATTEMPTS) await this.giveUp(appId, batch);
    return true;
  }

  /** The last attempt, or a later one that an operator requested. */
  writeAnyway(batchId: string): Promise<void> {
    return this.notifications.writeBatch(batchId, ANY_ATTEMPT);
  }

  private async tryToWrite(appId: string, batch: LeasedBatch): Promise<boolean> {
    try {
      await this.notifications.writeBatch(batch.id, batch.attempt);
      return true;
    } catch (error) {
      // Later batches must not wait for it.
      const what = `Batch ${batch.id} of app ${appId} could not be written, attempt ${batch.attempt}`;
      this.logger.error(`${what}: ${failureReason(error)}`);
      return false;
    }
  }

  /** Queues it as a job, which becomes a dead letter if it fails, so that operators can see and retry it. */
  private async giveUp(appId: string, batch: LeasedBatch): Promise<void> {
    const payload = { appId, batchId: batch.id };
    await this.transactions.run(async (tx) => {
      if (!(await this.notifications.giveBatchUp(tx, batch))) return;
      await this.outbox.add(tx, 'push', 'push.write_batch', payload, { group: appId, maxAttempts: 1 });
    });
  }
}
