import { Process } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT_JOB, type Announcement } from '../queues/bull-connections.js';
import { QueueEngine } from '../engine/queue-engine.js';
import { ownerOfGroup } from '../outbox/group-keys.rules.js';
import type { OutboxJobs } from './outbox-jobs.js';
import type { OutboxWork } from './outbox-work.js';
import type { ClaimedMessage } from '../outbox/outbox.repository.js';
import { PLATFORM_GROUP, type QueuedRow, type QueueName } from '../queues/queues.js';

/** Maximum number of rows of one queue that one sweep announces again. */
const SWEEP_BATCH = 500;

/**
 * Consumes one queue and runs the handlers of its jobs. The module that owns the queue's work extends this class with
 * `@Processor(…)`. With Redis, Bull passes the rows to `process`; without Redis, this process finds them itself.
 */
export abstract class QueueProcessor extends QueueEngine<ClaimedMessage> {
  private readonly jobs: OutboxWork;
  private readonly leaseSeconds: number;

  constructor(
    private readonly outbox: OutboxJobs,
    readonly queue: QueueName,
  ) {
    const options = outbox.queueOptions(queue);
    const jobs = outbox.of(queue);
    super(jobs, options);
    this.jobs = jobs;
    this.leaseSeconds = options.leaseSeconds;
  }

  /**
   * Runs the row of a Bull job, if it is due and no process is running it. The Bull job always succeeds: the result of
   * the work is recorded in the row.
   */
  @Process(ANNOUNCEMENT_JOB)
  process({ id, data }: Pick<Job<Announcement>, 'id' | 'data'>): Promise<void> {
    return this.runOne(data.group ?? PLATFORM_GROUP, () => this.jobs.claimOne(String(id), this.leaseSeconds));
  }

  /** Wakes groups whose rows no process has started for a long time. */
  async runOverdue(): Promise<void> {
    for (const group of await this.outbox.listOverdue(this.queue)) this.wake(group);
  }

  protected override ownerOf(group: string): string {
    return ownerOfGroup(group);
  }

  listDueRows(): Promise<QueuedRow[]> {
    return this.outbox.listDue(this.queue, SWEEP_BATCH);
  }
}
