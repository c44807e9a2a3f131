import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { discoverByName } from '../../common/discovered.js';
import { Transactions } from '../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import { TaskRunner } from './task-runner.js';
import { TasksService } from './tasks.service.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    'task.run': { task: string };
  }
}

export const TASK_STOPPED =
  'The task failed repeatedly and was stopped. The operator of the service finds the cause in its log.';

/** Until a task that found no room is tried again. A wait in its slot would keep other tasks waiting, too. */
const LATER_MS = 5_000;

/**
 * Runs a part of a task, and queues the rest as another job, so that no part takes long and other tasks get their turn.
 * The next job is queued in the transaction that marks this one as done, so that a task never has two of them.
 */
@Injectable()
export class TaskJob extends JobHandler<'task.run'> implements OnApplicationBootstrap {
  override readonly job = 'task.run';
  private found: ReadonlyMap<string, TaskRunner> | null = null;

  constructor(
    private readonly tasks: TasksService,
    private readonly transactions: Transactions,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.runners();
  }

  override async handle({ task: id }: { task: string }, meta: JobMeta): Promise<void> {
    const task = await this.tasks.begin(id);
    if (!task) return;
    const runner = this.runners().get(task.kind);
    // During a deployment, an old worker may find a task of a new kind. It is retried later, as after any failure.
    if (!runner) throw new Error(`No runner for ${task.kind} in this process`);
    const part = await runner.run(task);
    if (part === 'ended') return;
    const startsAt = part === 'later' ? new Date(meta.now.getTime() + LATER_MS) : undefined;
    await this.transactions.run(async (tx) => {
      if (await meta.finish(tx)) await this.tasks.goOn(task, tx, startsAt);
    });
  }

  override gaveUp({ task: id }: { task: string }): Promise<void> {
    return this.tasks.giveUp(id, TASK_STOPPED);
  }

  private runners(): ReadonlyMap<string, TaskRunner> {
    return (this.found ??= discoverByName(this.discovery, TaskRunner, ({ kind }) => kind));
  }
}
