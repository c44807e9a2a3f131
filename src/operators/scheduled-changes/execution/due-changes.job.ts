import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { ChangeRounds, type RoundState } from './change-rounds.js';
import { PausableWork } from './pausable-work.js';
import { type DueChange, ScheduledChangesRepository } from '../planning/scheduled-changes.repository.js';
import { ScheduledExecution } from './scheduled-execution.service.js';

const BATCH = 100;
const EVERY_SECONDS = 15;

/** Makes due changes. It finds them in the table, so losing a queue loses none of them. */
@Injectable()
export class DueChangesJob extends PeriodicJob {
  override readonly name = 'scheduled-changes';
  override readonly everySeconds = EVERY_SECONDS;
  private readonly rounds: ChangeRounds<PausableWork>;

  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly execution: ScheduledExecution,
    clock: Clock,
  ) {
    super();
    this.rounds = new ChangeRounds(clock, EVERY_SECONDS);
  }

  override async run(): Promise<void> {
    const due = await this.changes.listDue(BATCH, this.rounds.paused());
    await this.rounds.run(due, (change, turn) => this.make(change, turn));
  }

  private async make({ id }: DueChange, turn: RoundState<PausableWork>): Promise<boolean> {
    const work = turn.progress ?? new PausableWork((mayRest) => this.execution.run(id, mayRest));
    // After an error, the work starts over.
    turn.progress = null;
    const hasEnded = await work.goOn(turn.isOver);
    if (!hasEnded) turn.progress = work;
    return hasEnded;
  }
}
