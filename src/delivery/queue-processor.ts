import { Process } from '@nestjs/bull';
import type { Job } from 'bull';
import { ANNOUNCEMENT } from './bull-connections.js';
import { QueueEngine } from './engine/queue-engine.js';
import type { OutboxJobs } from './outbox-jobs.js';
import { DUE, OVERDUE, type OutboxWork } from './outbox-work.js';
import type { ClaimedMessage } from './outbox.repository.js';
import type { QueueName, QueuedRow } from './queues.js';

/** Maximum number of rows of one queue that one sweep announces again. */
const SWEEP_BATCH = 500;
/** Maximum number of jobs of one queue that one process runs at a time. */
export const CONCURRENCY = 5;

/**
 * Consumes one queue: the handlers of its jobs run here. The module that owns the queue's work extends this class with
 * `@Processor(…)`. With Redis, Bull names the rows in `process`; without, this process finds them itself.
 */
export abstract class QueueProcessor extends QueueEngine<ClaimedMessage> {
  private readonly jobs: OutboxWork;
  private readonly leaseSeconds: number;

  constructor(
    private readonly outbox: OutboxJobs,
    readonly queue: QueueName,
    /** At most {@link CONCURRENCY}. */
    concurrency = CONCURRENCY,
  ) {
    const options = outbox.queueOptions(concurrency);
    const jobs = outbox.of(queue);
    super(jobs, options);
    this.jobs = jobs;
    this.leaseSeconds = options.leaseSeconds;
  }

  /**
   * Runs the row that a job of Bull names, if it is due and no process runs it. The job always succeeds: whether the work
   * did is recorded in the row.
   */
  @Process({ name: ANNOUNCEMENT, concurrency: CONCURRENCY })
  process({ id }: Pick<Job, 'id'>): Promise<void> {
    return this.runOne(DUE, () => this.jobs.claimOne(String(id), this.leaseSeconds));
  }

  /** Some rows of this queue are due. */
  runDue(): void {
    this.wake(DUE);
  }

  /** Runs what is due and no process has begun for long. */
  runOverdue(): void {
    this.wake(OVERDUE);
  }

  async listDueRows(): Promise<QueuedRow[]> {
    const { queue } = this;
    return (await this.outbox.listDue(queue, SWEEP_BATCH)).map((id) => ({ queue, id }));
  }
}
