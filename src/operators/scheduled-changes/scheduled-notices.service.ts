import { Injectable } from '@nestjs/common';
import type { Prediction } from '../../apps/change-comparison.entity.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { Refusal } from '../../common/refusal.js';
import { ChangeEffects } from '../../previews/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../../previews/drafted-changes.js';
import { ChangePlanners } from './change-planners.js';
import { subjectOf } from './change-targets.js';
import { KNOWN_TO_ALL } from './prediction-counts.js';
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
    const draft = await this.draft(change);
    const isComplete = draft !== null && (await this.tell(change, moment, draft));
    const counts = isComplete && !change.predictionThen ? await this.count(draft) : null;
    await this.notices.end(change.id, moment, counts);
  }

  /** Null: it will not be made, as things are, and no one gets a mail. */
  private async draft(change: ScheduledChange): Promise<DraftedChange | null> {
    const ctx = await this.planners.identify(change);
    if (!ctx) return null;
    try {
      return await this.drafts.of(ctx, subjectOf(change));
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

  private async count(draft: DraftedChange): Promise<Prediction> {
    const counts: Record<string, number> = {};
    for await (const { affected } of this.effects.walk(draft, KNOWN_TO_ALL))
      for (const { effect } of affected) counts[effect] = (counts[effect] ?? 0) + 1;
    return counts;
  }
}
