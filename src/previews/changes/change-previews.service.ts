import { Injectable } from '@nestjs/common';
import type { Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import type { RequestContext } from '../../common/request-context.js';
import { type Visibility, visibilityOf } from '../../auth/entry/visibility.js';
import { ChangeEffects, MAX_INLINE_MEMBERS } from '../effects/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../proposals/drafted-changes.js';
import { type EffectCount, EffectCounter, type PastSummary } from '../effects/effect-counter.js';
import { LockOuts } from '../effects/lock-outs.js';
import { PreviewFiles } from './preview-files.js';
import { PreviewLimiter } from '../proposals/preview-limiter.js';
import type { PreviewSubject } from '../proposals/preview-subject.js';

/** Effects of a change on the next sign-in of each member. */
export interface ChangePreview {
  /** Number of memberships that were evaluated. */
  readonly members: number;
  /** Only effects that occur, most serious first. */
  readonly effects: readonly EffectCount[];
  /** Whether the caller could no longer enter one of the apps. */
  readonly locksYouOut: boolean;
  /** Whether no administrator of the tenant could enter the console any more. */
  readonly locksAdminsOut: boolean;
  /** Whether users could no longer sign in by JSON, because they are asked for consent. */
  readonly endsDirectSignIn: boolean;
  /** The sign-ins of members in the last {@link PAST_DAYS} days, and which of them would have a different result. */
  readonly past: PastSummary;
  /**
   * For the audit entry of the change: only what every admin who reads it may know. Absent: computed by an earlier
   * version.
   */
  readonly prediction?: Prediction;
}

/** Progress: memberships that were evaluated, and their total. */
export type PreviewProgress = (done: number, total: number) => Promise<void>;

/** Depends on the change, because some viewers know only the apps of the change. */
export type ViewersVisibility = (draft: DraftedChange) => Visibility;

/** Previews changes before they are saved. */
@Injectable()
export class ChangePreviews {
  constructor(
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly lockOuts: LockOuts,
    private readonly limiter: PreviewLimiter,
    private readonly files: PreviewFiles,
  ) {}

  /**
   * @param visibilityOfViewers what viewers of the result may know of the members
   * @returns null if there are more than {@link MAX_INLINE_MEMBERS} memberships, which requires a task
   * @throws as the update, and as {@link PreviewLimiter.run}
   */
  async preview(
    ctx: RequestContext,
    subject: PreviewSubject,
    visibilityOfViewers: ViewersVisibility = () => visibilityOf(ctx.actor),
  ): Promise<ChangePreview | null> {
    return this.limiter.run(ctx, await this.drafts.scopeOf(subject), async () => {
      const draft = await this.drafts.of(ctx, subject);
      if ((await this.effects.count(draft, MAX_INLINE_MEMBERS + 1)) > MAX_INLINE_MEMBERS) return null;
      return this.judge(ctx, { draft, subject, visibility: visibilityOfViewers(draft) }, () => Promise.resolve());
    });
  }

  /**
   * For any number of memberships. @param visibilityOfViewers as in {@link preview}
   * @throws as the update
   */
  async previewAll(
    ctx: RequestContext,
    subject: PreviewSubject,
    visibilityOfViewers: ViewersVisibility,
    progress: PreviewProgress,
  ): Promise<ChangePreview> {
    const draft = await this.drafts.of(ctx, subject);
    const total = await this.effects.count(draft, null);
    const visibility = visibilityOfViewers(draft);
    return this.judge(ctx, { draft, subject, visibility }, (done) => progress(done, Math.max(total, done)));
  }

  /** All affected users as a file. */
  async file(ctx: RequestContext, subject: PreviewSubject): Promise<StreamedFile> {
    return this.files.of(ctx, await this.drafts.scopeOf(subject), () => this.drafts.of(ctx, subject));
  }

  private async judge(
    ctx: RequestContext,
    { draft, subject, visibility }: { draft: DraftedChange; subject: PreviewSubject; visibility: Visibility },
    progress: (done: number) => Promise<void>,
  ): Promise<ChangePreview> {
    const counter = new EffectCounter(ctx);
    for await (const judged of this.effects.walk(draft, visibility, { forLog: true, past: true })) {
      counter.add(judged);
      await progress(counter.members);
    }
    const { members, locksYouOut } = counter;
    const { endsDirectSignIn } = draft;
    const locksAdminsOut = await this.lockOuts.locksAdminsOut(draft, subject);
    const [effects, past, prediction] = [counter.effects(), counter.past(), counter.prediction()];
    return { members, effects, locksYouOut, locksAdminsOut, endsDirectSignIn, past, prediction };
  }
}
