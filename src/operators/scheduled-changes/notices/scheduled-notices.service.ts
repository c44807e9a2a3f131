import { Injectable } from '@nestjs/common';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import { EVERYTHING } from '../../../auth/entry/knowledge.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { Refusal } from '../../../common/refusal.js';
import { ChangeEffects } from '../../../previews/effects/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../../../previews/proposals/drafted-changes.js';
import type { Turn } from '../execution/change-rounds.js';
import { isAmong, type WalkPlace } from '../../../previews/effects/walk-place.js';
import { ChangePlanners } from '../planning/change-planners.js';
import { subjectOf } from '../planning/change-targets.js';
import type { ScheduledChange } from '../planning/scheduled-change.entity.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import { ScheduledMails } from './scheduled-mails.js';
import { ScheduledNoticesRepository } from './scheduled-notices.repository.js';

type Telling = Exclude<NoticeMoment, 'retracted'>;

/** How far a round has come: of the walk over the members, with their effects until there, or of those who were told. */
export type NoticePlace =
  | { readonly moment: Telling; readonly after: WalkPlace; readonly counts: Prediction }
  | { readonly moment: 'retracted'; readonly after: string };

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

  /** After a crash, or by another process, it is done again, and each user is mailed once all the same. @returns false: the round is over before it is done */
  async run(change: ScheduledChange, moment: NoticeMoment, turn: Turn<NoticePlace>): Promise<boolean> {
    const told = moment === 'retracted' ? await this.takeBack(change, turn) : await this.tell(change, moment, turn);
    if (told) await this.notices.end(change.id, moment, told.counts);
    return told !== null;
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

  /**
   * By all that is known, so that no member is mailed something untrue. The numbers are those that all may know.
   * @returns null: the round is over; without counts: they are known, or the change will not be made
   */
  private async tell(change: ScheduledChange, moment: Telling, turn: Turn<NoticePlace>): Promise<Told | null> {
    const draft = await this.draft(change);
    if (!draft) return { counts: null };
    const known = turn.place?.moment === moment ? turn.place : null;
    // Where the walk begins again, so do the numbers.
    const place = known && isAmong(draft.clients, known.after) ? known : null;
    const counts: Record<string, number> = { ...place?.counts };
    const asked = { forLog: !change.predictionThen, from: place?.after ?? null };
    for await (const { affected, forLog, place: after } of this.effects.walk(draft, EVERYTHING, asked)) {
      if (affected.length > 0 && !(await this.mails.tell(change, moment, affected))) return { counts: null };
      for (const effect of forLog ?? []) counts[effect] = (counts[effect] ?? 0) + 1;
      if (after) turn.place = { moment, after, counts: { ...counts } };
      if (after && turn.isOver()) return null;
    }
    return { counts: change.predictionThen ? null : counts };
  }

  private async takeBack(change: ScheduledChange, turn: Turn<NoticePlace>): Promise<Told | null> {
    let after = turn.place?.moment === 'retracted' ? turn.place.after : null;
    while ((after = await this.mails.retract(change, after)) !== null) {
      turn.place = { moment: 'retracted', after };
      if (turn.isOver()) return null;
    }
    return { counts: null };
  }
}

/** All have their mail. */
interface Told {
  readonly counts: Prediction | null;
}
