import { describe, expect, it } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { Transactions } from '../../../../src/database/transactions.js';
import { TaskJob } from '../../../../src/operations/tasks/task.job.js';
import { TaskRunner } from '../../../../src/operations/tasks/task-runner.js';
import type { TasksService } from '../../../../src/operations/tasks/tasks.service.js';
import { OWN_JOB } from '../../../support/task-jobs.js';

describe('Job of a task', () => {
  const tx = {} as EntityManager;

  /** Runs a part. @returns in which transactions the end of the job was recorded, and the next job queued */
  async function run(part: 'more' | 'later' | 'ended', isFirst: boolean) {
    const finished: EntityManager[] = [];
    const queued: unknown[] = [];
    class SomeRunner extends TaskRunner {
      override readonly kind = 'some';
      override run = () => Promise.resolve(part);
    }
    const tasks = {
      begin: (id: string) => Promise.resolve({ id, kind: 'some' }),
      goOn: (_: unknown, ...how: unknown[]) => Promise.resolve(void queued.push(how)),
    } as unknown as TasksService;
    const transactions = { run: (work: (within: EntityManager) => unknown) => work(tx) } as unknown as Transactions;
    const discovery = { getProviders: () => [{ instance: new SomeRunner() }] } as unknown as DiscoveryService;
    const finish = (within: EntityManager) => {
      finished.push(within);
      return Promise.resolve(isFirst);
    };
    await new TaskJob(tasks, transactions, discovery).handle({ task: 'one' }, { ...OWN_JOB, finish });
    return { finished, queued };
  }

  it('queues the next part in the transaction that ends it', async () => {
    expect(await run('more', true)).toEqual({ finished: [tx], queued: [[tx, undefined]] });
  });

  it('queues a part that found no room again, for a few seconds later', async () => {
    const soon = new Date(OWN_JOB.now.getTime() + 5_000);
    expect(await run('later', true)).toEqual({ finished: [tx], queued: [[tx, soon]] });
  });

  it('queues nothing if another process has ended it', async () => {
    expect(await run('more', false)).toEqual({ finished: [tx], queued: [] });
  });

  it('queues nothing after the last part', async () => {
    expect(await run('ended', true)).toEqual({ finished: [], queued: [] });
  });
});
