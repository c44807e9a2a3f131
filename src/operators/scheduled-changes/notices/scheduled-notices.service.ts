import { Injectable } from '@nestjs/common';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import { EVERYTHING } from '../../../auth/entry/visibility.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { Refusal } from '../../../common/refusal.js';
import { ChangeEffects } from '../../../previews/effects/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../../../previews/proposals/drafted-changes.js';
import type { RoundState } from '../execution/change-rounds.js';
import { isAmong, type WalkCursor } from '../../../previews/effects/walk-cursor.js';
import { ChangePlanners } from '../planning/change-planners.js';
import { subjectOf } from '../planning/change-targets.js';
import type { ScheduledChange } from '../planning/scheduled-change.entity.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import { ScheduledMails } from './scheduled-mails.js';
import { ScheduledNoticesRepository } from './scheduled-notices.repository.js';

type Telling = Exclude<NoticeMoment, 'retracted'>;

/** Progress of a round: of the walk over the members, with the counts so far, or of the users who were notified. */
export type NoticeProgress =
  | { readonly moment: Telling; readonly after: WalkCursor; readonly counts: Prediction }
  | { readonly moment: 'retracted'; readonly after: string };

/**
 * Notifies users affected by a scheduled change. Each time they are determined by the rules of sign-in, in batches,
 * without a lock between them.
 */
@Injectable()
export class ScheduledNotices {
  constructor(
    private readonly planners: ChangePlanners,
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly mails: ScheduledMails,
    private readonly notices: ScheduledNoticesRepository,
  ) {}

  /**
   * After a crash or in another process it starts over, but each user still gets one mail. @returns false if the round
   * ended first
   */
  async run(change: ScheduledChange, moment: NoticeMoment, turn: RoundState<NoticeProgress>): Promise<boolean> {
    const sent = moment === 'retracted' ? await this.takeBack(change, turn) : await this.tell(change, moment, turn);
    if (sent) await this.notices.end(change.id, moment, sent.counts);
    return sent !== null;
  }

  /** Null: the change would be refused now, so no user gets a mail. */
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
   * Uses everything known about the users, so that no mail is wrong. The stored numbers are those that every admin may
   * know.
   * @returns null: the round ended; without counts: they are known, or the change would be refused
   */
  private async tell(
    change: ScheduledChange,
    moment: Telling,
    turn: RoundState<NoticeProgress>,
  ): Promise<SentNotices | null> {
    const draft = await this.draft(change);
    if (!draft) return { counts: null };
    const known = turn.progress?.moment === moment ? turn.progress : null;
    // If the walk starts over, so do the counts.
    const progress = known && isAmong(draft.clients, known.after) ? known : null;
    const counts: Record<string, number> = { ...progress?.counts };
    const options = { forLog: !change.predictionThen, from: progress?.after ?? null };
    for await (const { affected, forLog, cursor: after } of this.effects.walk(draft, EVERYTHING, options)) {
      if (affected.length > 0 && !(await this.mails.tell(change, moment, affected))) return { counts: null };
      for (const effect of forLog ?? []) counts[effect] = (counts[effect] ?? 0) + 1;
      if (after) turn.progress = { moment, after, counts: { ...counts } };
      if (after && turn.isOver()) return null;
    }
    return { counts: change.predictionThen ? null : counts };
  }

  private async takeBack(change: ScheduledChange, turn: RoundState<NoticeProgress>): Promise<SentNotices | null> {
    let after = turn.progress?.moment === 'retracted' ? turn.progress.after : null;
    while ((after = await this.mails.retract(change, after)) !== null) {
      turn.progress = { moment: 'retracted', after };
      if (turn.isOver()) return null;
    }
    return { counts: null };
  }
}

/** The result after all mails are sent. */
interface SentNotices {
  readonly counts: Prediction | null;
}
