import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { ScheduledChangesRepository } from './scheduled-changes.repository.js';
import { ScheduledExecution } from './scheduled-execution.service.js';

const BATCH = 100;

/** Makes changes whose time has come. The rows say which: nothing is lost with a queue. One that fails stops no other. */
@Injectable()
export class DueChangesJob extends PeriodicJob {
  override readonly name = 'scheduled-changes';
  override readonly everySeconds = 15;

  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly execution: ScheduledExecution,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const id of await this.changes.listDue(BATCH))
      await this.execution.run(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
