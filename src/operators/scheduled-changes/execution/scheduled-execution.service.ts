import { Injectable } from '@nestjs/common';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import { ReauthenticationRequired } from '../../../common/http/recent-sign-in.js';
import { Refusal } from '../../../common/refusal.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ResultAlreadyRecorded } from '../../../operations/tasks/task.errors.js';
import { ChangePreviews, type PreviewProgress } from '../../../previews/changes/change-previews.service.js';
import { ChangeEndings } from './change-endings.js';
import { ChangePlanners } from '../planning/change-planners.js';
import { type ChangeSubject, ChangeTargets, subjectOf } from '../planning/change-targets.js';
import { LockOuts } from '../../../previews/effects/lock-outs.js';
import { visibleToAllMakers } from '../../../previews/proposals/proposal.js';
import { countsOf } from '../planning/prediction-counts.js';
import { changedMeanwhile, namedBy } from '../planning/schedulable.rules.js';
import type { ScheduledChange, ScheduledResult } from '../planning/scheduled-change.entity.js';

/** Why a change is not made, determined before or in its transaction. Rolls it back; has no message. */
class NotMade extends Error {
  constructor(readonly result: ScheduledResult) {
    super(result.reason);
  }
}

/** Makes a due change like a save by its planner, exactly once or not at all. */
@Injectable()
export class ScheduledExecution {
  constructor(
    private readonly planners: ChangePlanners,
    private readonly previews: ChangePreviews,
    private readonly lockOuts: LockOuts,
    private readonly targets: ChangeTargets,
    private readonly endings: ChangeEndings,
  ) {}

  /**
   * Does nothing if the change is no longer due. @param mayRest called between the batches of the walk
   * @throws an error if a retry may help
   */
  async run(id: string, mayRest: PreviewProgress = nothing): Promise<void> {
    const change = await this.endings.findDue(id);
    if (!change) return;
    try {
      if (change.isLate) throw new NotMade({ reason: 'late' });
      await this.make(change, mayRest);
    } catch (error) {
      if (!(error instanceof ResultAlreadyRecorded)) await this.endings.fail(change, resultOf(error));
    }
  }

  private async make(change: ScheduledChange, mayRest: PreviewProgress): Promise<void> {
    const ctx = await this.planners.identify(change);
    if (!ctx) throw new NotMade({ reason: 'authority' });
    const subject = subjectOf(change);
    // Cheap checks first: the walks below may take minutes.
    refuseChanged(change, subject, (await this.targets.draft(ctx, subject)).settings);
    await this.refuseLockOut(ctx, change, subject);
    const preview = await this.previews.previewAll(ctx, subject, visibleToAllMakers, mayRest);
    // The count may have rested, so check again who would be locked out.
    await this.refuseLockOut(ctx, change, subject);
    const predictionNow = countsOf(preview);
    const prediction = Object.keys(predictionNow).length > 0 ? predictionNow : undefined;
    await this.targets.save(ctx, subject, change, prediction, async (tx, settings) => {
      refuseChanged(change, subject, settings);
      // The count may have taken a minute, so read the planner's authority again.
      const now = await this.planners.identify(change, tx);
      if (!now) throw new NotMade({ reason: 'authority' });
      await this.endings.executed(tx, now, change, predictionNow);
      return now;
    });
  }

  /**
   * Refuses a lockout that the planner did not confirm, because the change would have locked out no one when it was
   * planned. Apps in which the planner is only a user do not count: otherwise their admins could stop a change by
   * making the planner a member.
   */
  private async refuseLockOut(ctx: RequestContext, change: ScheduledChange, subject: ChangeSubject): Promise<void> {
    const { locksPlannerOut, locksAdminsOut } = await this.lockOuts.judge(ctx, subject, change.plannedBy, change);
    if (locksPlannerOut && !change.locksPlannerOut) throw new NotMade({ reason: 'lock_out' });
    if (locksAdminsOut && !change.locksAdminsOut) throw new NotMade({ reason: 'lock_out_of_all' });
  }
}

const nothing = () => Promise.resolve();

/** A later save of the same settings by any user or app, including the planner, is newer and takes precedence. */
function refuseChanged(
  { settingsThen }: ScheduledChange,
  subject: ChangeSubject,
  settings: Readonly<Record<string, unknown>>,
): void {
  const changed = changedMeanwhile(namedBy(subject), settingsThen, settings);
  if (changed.length > 0) throw new NotMade({ reason: 'changed_meanwhile', changed });
}

/** @throws the error itself if a retry may help */
function resultOf(error: unknown): ScheduledResult {
  if (error instanceof NotMade) return error.result;
  if (error instanceof InsufficientPermissions) return { reason: 'authority' };
  if (error instanceof ReauthenticationRequired) return { reason: 'unconfirmed' };
  if (error instanceof Refusal && error.kind !== 'unavailable')
    return { reason: 'refused', detail: error.message.slice(0, 500) };
  throw error;
}
