import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import type { TransactionCommitEvent } from 'typeorm/subscriber/event/TransactionCommitEvent.js';
import { JobNotifier } from '../queues/job-notifier.js';
import type { QueuedRow } from '../queues/queues.js';

const PENDING = 'outboxAnnouncements';

/** The rows that the current transaction of this connection has written so far. */
export function pendingAnnouncements(queryRunner: QueryRunner): QueuedRow[] {
  const data = queryRunner.data as { [PENDING]?: QueuedRow[] };
  return (data[PENDING] ??= []);
}

/**
 * Announces a transaction's jobs after it has committed, without delaying the commit. It is a hook in the process
 * instead of NOTIFY: only the process that wrote a row announces it, and commits do not queue for NOTIFY's lock. If a
 * crash between commit and announcement loses it, the sweep finds the row.
 */
@Injectable()
export class OutboxAnnouncer implements EntitySubscriberInterface, OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly notifier: JobNotifier,
  ) {}

  onModuleInit(): void {
    this.dataSource.subscribers.push(this);
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    // Also called when a savepoint is released, when other connections cannot see the rows yet.
    if (queryRunner.isTransactionActive) return;
    const rows = pendingAnnouncements(queryRunner).splice(0);
    if (rows.length > 0) this.notifier.announce(rows);
  }
}
