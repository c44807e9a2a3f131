import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { ChangeRounds, type RoundState } from '../execution/change-rounds.js';
import { ScheduledChangesRepository } from '../planning/scheduled-changes.repository.js';
import { type DueNotice, ScheduledNoticesRepository } from './scheduled-notices.repository.js';
import { type NoticeProgress, ScheduledNotices } from './scheduled-notices.service.js';

const BATCH = 100;
const EVERY_SECONDS = 10;
const ROUND_SECONDS = 30;

/**
 * Mails users affected by scheduled changes: some minutes after the change was planned, the day before it, and if it is
 * cancelled or fails.
 */
@Injectable()
export class ScheduledNoticesJob extends PeriodicJob {
  override readonly name = 'scheduled-change-notices';
  override readonly everySeconds = EVERY_SECONDS;
  private readonly rounds: ChangeRounds<NoticeProgress>;

  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly due: ScheduledNoticesRepository,
    private readonly notices: ScheduledNotices,
    clock: Clock,
  ) {
    super();
    this.rounds = new ChangeRounds(clock, ROUND_SECONDS);
  }

  override async run(): Promise<void> {
    const due = await this.due.listDue(BATCH, this.rounds.paused());
    await this.rounds.run(due, (notice, turn) => this.tell(notice, turn));
  }

  private async tell({ id, moment }: DueNotice, turn: RoundState<NoticeProgress>): Promise<boolean> {
    const change = await this.changes.find(id);
    return change === null || (await this.notices.run(change, moment, turn));
  }
}
