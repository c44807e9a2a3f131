import { Injectable } from '@nestjs/common';
import type { Prediction } from '../../apps/change-comparison.entity.js';
import { knowledgeOf } from '../../auth/entry/knowledge.js';
import type { Actor } from '../../common/actor.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { Refusal } from '../../common/refusal.js';
import { ChangeEffects } from '../../previews/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../../previews/drafted-changes.js';
import { ChangePlanners } from './change-planners.js';
import { subjectOf } from './change-targets.js';
import type { ScheduledChange } from './scheduled-change.entity.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import { ScheduledMails } from './scheduled-mails.js';
import { ScheduledNoticesRepository } from './scheduled-notices.repository.js';

/** Tells those whom a scheduled change concerns: found by the rules of sign-in each time, in batches, and without a lock between them. */
@Injectable()
export class ScheduledNotices {
  constructor(
    private readonly planners: ChangePlanners,
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly mails: ScheduledMails,
    private readonly notices: ScheduledNoticesRepository,
  ) {}

  /** After a crash it is done again, and each user is mailed once all the same. */
  async run(change: ScheduledChange, moment: NoticeMoment): Promise<void> {
    if (moment === 'retracted') {
      await this.mails.retract(change);
      return this.notices.end(change.id, moment, null);
    }
    const planned = await this.draft(change);
    const isComplete = planned !== null && (await this.tell(change, moment, planned.draft));
    const counts = isComplete && !change.predictionThen ? await this.count(planned) : null;
    await this.notices.end(change.id, moment, counts);
  }

  /** Null: it will not be made, as things are, and no one gets a mail. */
  private async draft(change: ScheduledChange): Promise<PlannedDraft | null> {
    const ctx = await this.planners.identify(change);
    if (!ctx) return null;
    try {
      return { planner: ctx.actor, draft: await this.drafts.of(ctx, subjectOf(change)) };
    } catch (error) {
      const isRefused = error instanceof InvalidInput || (error instanceof Refusal && error.kind !== 'unavailable');
      if (isRefused) return null;
      throw error;
    }
  }

  /** By all that is known, so that no member is mailed something untrue. @returns false: the change is no longer planned */
  private async tell(
    change: ScheduledChange,
    moment: Exclude<NoticeMoment, 'retracted'>,
    draft: DraftedChange,
  ): Promise<boolean> {
    for await (const { affected } of this.effects.walk(draft, true))
      if (affected.length > 0 && !(await this.mails.tell(change, moment, affected))) return false;
    return true;
  }

  /** By what the planner may know, as in a preview: the row is shown to them, and to other admins. */
  private async count({ planner, draft }: PlannedDraft): Promise<Prediction> {
    const counts: Record<string, number> = {};
    for await (const { affected } of this.effects.walk(draft, knowledgeOf(planner)))
      for (const { effect } of affected) counts[effect] = (counts[effect] ?? 0) + 1;
    return counts;
  }
}

interface PlannedDraft {
  readonly planner: Actor;
  readonly draft: DraftedChange;
}
