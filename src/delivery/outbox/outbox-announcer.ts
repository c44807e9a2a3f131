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
 * Announces a transaction's jobs once it has committed, without making the committer wait. A hook in the process
 * instead of NOTIFY: only the process that wrote a row hands it over, and commits need not queue up behind one another
 * as they do on NOTIFY's lock. What a crash between commit and announcement loses, the sweep finds.
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
    // Also called when a savepoint is released: then the rows are not visible to other connections yet.
    if (queryRunner.isTransactionActive) return;
    const rows = pendingAnnouncements(queryRunner).splice(0);
    if (rows.length > 0) this.notifier.announce(rows);
  }
}
