import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { type InputFault, InvalidInput } from '../../../common/validation/invalid-input.js';
import { ChangePreviews } from '../../../previews/changes/change-previews.service.js';
import { visibleToAllMakers } from '../../../previews/proposals/proposal.js';
import { callerKey, keyOf, tenantPart } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { type ChangeSubject, type ChangeTarget, ChangeTargets } from './change-targets.js';
import { type LockOut, LockOuts } from '../../../previews/effects/lock-outs.js';
import { countsOf } from './prediction-counts.js';
import { MAX_AHEAD_MS, namedBy, MIN_AHEAD_MS, unschedulable } from './schedulable.rules.js';
import type { ScheduledChange } from './scheduled-change.entity.js';
import { SelfLockOut } from './scheduled-changes.errors.js';

/** A change that has passed all checks. */
export interface CheckedPlan extends LockOut {
  readonly target: ChangeTarget;
  readonly confirmed: string[];
  /** Null: too many members for a request. The worker counts them. */
  readonly predictionThen: ScheduledChange['predictionThen'];
}

/** The checks before a change is planned: all checks of the save, and that the change can be scheduled. */
@Injectable()
export class ChangePlanning {
  constructor(
    private readonly targets: ChangeTargets,
    private readonly previews: ChangePreviews,
    private readonly lockOuts: LockOuts,
    private readonly limits: RateLimitsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param mayLockOut the planner has confirmed a lockout
   * @throws as the update, and InvalidInput, SelfLockOut, TooManyRequests
   */
  async check(
    ctx: RequestContext,
    subject: ChangeSubject,
    effectiveAt: Date,
    mayLockOut: boolean,
  ): Promise<CheckedPlan> {
    const { actor } = ctx;
    const plannerId = actor.type === 'user' ? actor.userId : null;
    const target = await this.targets.draft(ctx, subject);
    const confirmed = await this.targets.checkConfirmed(ctx, subject);
    const faults = [...faultsOfChange(subject), ...faultsOfTime(effectiveAt, this.clock.now())];
    if (faults.length > 0) throw new InvalidInput(faults);
    await this.limits.consume('scheduled_change', callerKey(actor) ?? actor.type);
    await this.limits.consume('scheduled_change_tenant', keyOfTarget(target));
    const lockOut = await this.lockOuts.judge(ctx, subject, plannerId);
    if ((lockOut.locksPlannerOut || lockOut.locksAdminsOut) && !mayLockOut) throw new SelfLockOut();
    const preview = await this.previews.preview(ctx, subject, visibleToAllMakers);
    return { ...lockOut, target, confirmed, predictionThen: preview && countsOf(preview) };
  }

  /** Removes settings that already have the given value. @throws as the update */
  changedOf(ctx: RequestContext, subject: ChangeSubject): Promise<ChangeSubject> {
    return this.targets.changedOf(ctx, subject);
  }

  /**
   * Whether the caller has the authority for this change, regardless of other obstacles. @throws
   * InsufficientPermissions
   */
  checkAuthority(ctx: RequestContext, change: ScheduledChange): Promise<void> {
    return this.targets.checkAuthority(ctx, change);
  }
}

/**
 * Different apps and operators of a tenant are different callers with the same members. Each app has its own limit, and
 * the tenant's own changes have one that apps cannot use up.
 */
function keyOfTarget({ tenantId, appId, isOfTenant }: ChangeTarget): string {
  return keyOf(tenantPart(tenantId, isOfTenant), appId ?? tenantId);
}

function faultsOfChange(subject: ChangeSubject): InputFault[] {
  const msg = 'This setting cannot be scheduled. Change it with the update route instead';
  const faults = unschedulable(subject).map((name): InputFault => {
    return { loc: ['body', 'change', ...name.split('.')], msg, type: 'value_error' };
  });
  if (Object.keys(namedBy(subject)).length > 0) return faults;
  return [{ loc: ['body', 'change'], msg: 'Name at least one setting', type: 'value_error' }];
}

function faultsOfTime(effectiveAt: Date, now: Date): InputFault[] {
  const ahead = effectiveAt.getTime() - now.getTime();
  const loc = ['body', 'effective_at'];
  // Also refuses invalid dates.
  if (!(ahead >= MIN_AHEAD_MS))
    return [{ loc, msg: 'The time should be at least 5 minutes ahead', type: 'value_error' }];
  if (ahead > MAX_AHEAD_MS) return [{ loc, msg: 'The time should be at most a year ahead', type: 'value_error' }];
  return [];
}
