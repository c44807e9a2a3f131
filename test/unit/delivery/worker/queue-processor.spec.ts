import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { claimOf } from '../../../../src/delivery/engine/queue-work.js';
import type { OutboxJobs } from '../../../../src/delivery/worker/outbox-jobs.js';
import { QueueProcessor } from '../../../../src/delivery/worker/queue-processor.js';
import type { ClaimedMessage } from '../../../../src/delivery/outbox/outbox.repository.js';

const CONCURRENCY = 3;

/** Jobs that run until the test says so. */
class Jobs {
  readonly begun: string[] = [];
  readonly due: string[] = [];
  private readonly ends: (() => void)[] = [];

  endAll(): void {
    for (const end of this.ends.splice(0)) end();
  }

  readonly name = 'mail';
  claim = async (_group: string, limit: number) => claimOf(this.due.splice(0, limit).map(message), limit);
  claimOne = async (id: string) => {
    await turn();
    return message(id);
  };
  attempt = ({ id }: ClaimedMessage): Promise<null> => {
    this.begun.push(id);
    return new Promise((resolve) => this.ends.push(() => resolve(null)));
  };
  release = async () => undefined;
}

function message(id: string): ClaimedMessage {
  return { id, job: 'test', payload: {}, attempts: 1, maxAttempts: 2, expired: false };
}

class TestProcessor extends QueueProcessor {
  constructor(jobs: Jobs) {
    const options = { perGroup: CONCURRENCY, total: CONCURRENCY, share: 1 };
    const times = { leaseSeconds: 9, attemptSeconds: 8, drainSeconds: 0.05 };
    const outbox = { of: () => jobs, queueOptions: () => ({ ...options, ...times }) };
    super(outbox as unknown as OutboxJobs, 'mail');
  }
}

async function settled(): Promise<void> {
  for (let round = 0; round < 50; round++) await turn();
}

describe('QueueProcessor', () => {
  it('runs no more jobs at once than the queue has slots, from Bull and from the sweep together', async () => {
    const jobs = new Jobs();
    const processor = new TestProcessor(jobs);
    jobs.due.push('s1', 's2');
    processor.wake('');
    await settled();
    const named = ['b1', 'b2', 'b3'].map((id) => processor.process({ id, data: {} }));
    jobs.due.push('s3');
    processor.wake('');
    await settled();
    expect(jobs.begun).toHaveLength(CONCURRENCY);
    for (let round = 0; round < 5; round++) {
      jobs.endAll();
      await settled();
    }
    await Promise.all(named);
    expect([...jobs.begun].sort()).toEqual(['b1', 'b2', 'b3', 's1', 's2', 's3']);
  });

  it('stops Bull from passing rows to a process that is stopping', async () => {
    const jobs = new Jobs();
    const processor = new TestProcessor(jobs);
    processor.onModuleDestroy();
    await processor.process({ id: 'late', data: {} });
    expect(jobs.begun).toEqual([]);
  });
});
