import { Injectable, type OnModuleInit } from '@nestjs/common';
import { counter, gauge } from '../../common/metrics/process-metrics.js';
import { BacklogRepository, type PendingWork } from './backlog.repository.js';

/** The database is asked at most once in this time, however often the process is scraped. */
const KEPT_MS = 5_000;
/** A database that hangs must not block the scrape. */
const PATIENCE_MS = 1_000;
/** Name of the row that is not a queue. */
const AUDIT = 'audit';

const FAILURES = counter({
  name: 'identity_backlog_read_failures_total',
  help: 'Scrapes without queue ages and sealing lag, because the database did not answer in time',
});

/**
 * Metrics of the backlog in the database. Without an answer they have no values, because old values would look like
 * current ones.
 */
@Injectable()
export class Backlog implements OnModuleInit {
  private readAt = Number.NEGATIVE_INFINITY;
  private latest: Promise<readonly PendingWork[]> = Promise.resolve([]);

  constructor(private readonly repository: BacklogRepository) {}

  onModuleInit(): void {
    const age = {
      name: 'identity_queue_oldest_due_seconds',
      help: 'How long the oldest due job or delivery has waited',
    };
    const due = { name: 'identity_queue_due_jobs', help: 'Due jobs that no process runs, up to 1,000' };
    const dead = { name: 'identity_queue_dead_jobs', help: 'Failed jobs in the last hour, up to 1,000' };
    const lag = { name: 'identity_audit_sealing_lag_seconds', help: 'Age of the oldest audit entry not yet sealed' };
    this.show(age, ({ oldestSeconds }) => oldestSeconds);
    this.show(due, (waiting) => waiting.due);
    this.show(dead, (waiting) => waiting.dead);
    gauge(lag, async (metric) => {
      const audit = (await this.read()).find(({ name }) => name === AUDIT);
      if (audit) metric.set(audit.oldestSeconds);
      else metric.remove();
    });
  }

  /** Labeled by queue. */
  private show(
    described: { readonly name: string; readonly help: string },
    valueOf: (waiting: PendingWork) => number | null,
  ): void {
    gauge({ ...described, labelNames: ['queue'] }, async (metric) => {
      const waiting = await this.read();
      metric.reset();
      for (const each of waiting) {
        const value = each.name === AUDIT ? null : valueOf(each);
        if (value !== null) metric.set({ queue: each.name }, value);
      }
    });
  }

  /** Empty if the database does not answer. */
  private read(): Promise<readonly PendingWork[]> {
    const now = performance.now();
    if (now - this.readAt < KEPT_MS) return this.latest;
    this.readAt = now;
    return (this.latest = Promise.race([this.repository.read(), tooLate()]).catch(() => {
      FAILURES.inc();
      return [];
    }));
  }
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('timeout')), PATIENCE_MS).unref());
}
