import { Injectable } from '@nestjs/common';
import { ExportedLists } from '../admin/exported-lists.js';
import { csvLine } from '../admin/audit-log/csv.rules.js';
import { canAdministerPlatform } from '../common/actor.js';
import { Clock } from '../common/clock.js';
import type { StreamedFile } from '../common/http/streamed-file.js';
import type { RequestContext } from '../common/request-context.js';
import { type Knowledge, knowledgeOf } from '../auth/entry/knowledge.js';
import { type Affected, ChangeEffects, MOST_INLINE } from './change-effects.js';
import { type DraftedChange, DraftedChanges } from './drafted-changes.js';
import { type EffectCount, EffectCounter, type PastSummary } from './effect-counter.js';
import { PreviewPlaces } from './preview-places.js';
import type { PreviewSubject } from './preview-subject.js';

const COLUMNS = [
  'effect',
  'rule',
  'app_id',
  'app',
  'user_id',
  'email',
  'display_name',
  'method_before',
  'method_after',
];

/** What a change would do to the next sign-in of each member. */
export interface ChangePreview {
  /** Memberships that were judged. */
  readonly members: number;
  /** Only effects that occur, the most serious first. */
  readonly effects: readonly EffectCount[];
  /** The caller could no longer enter one of the apps. */
  readonly locksYouOut: boolean;
  /** Users could no longer sign in by JSON, because they are asked for their consent. */
  readonly endsDirectSignIn: boolean;
  /** The sign-ins of members in the last {@link PAST_DAYS} days, and which would have gone another way. */
  readonly past: PastSummary;
}

/** How far it is: memberships that were judged, and how many there are. */
export type PreviewProgress = (done: number, total: number) => Promise<void>;

/** What a change would do, before it is saved. */
@Injectable()
export class ChangePreviews {
  constructor(
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly exported: ExportedLists,
    private readonly places: PreviewPlaces,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns null where there are more than {@link MOST_INLINE} memberships: that takes a task
   * @throws as the update, and as {@link PreviewPlaces.run}
   */
  async preview(ctx: RequestContext, subject: PreviewSubject): Promise<ChangePreview | null> {
    return this.places.run(ctx, await this.drafts.tenantOf(subject), async () => {
      const draft = await this.drafts.of(ctx, subject);
      if ((await this.effects.count(draft, MOST_INLINE + 1)) > MOST_INLINE) return null;
      return this.judge(ctx, draft, knowledgeOf(ctx.actor), () => Promise.resolve());
    });
  }

  /** However many there are. @param knowsAll false: not, although the caller now might @throws as the update */
  async previewAll(
    ctx: RequestContext,
    subject: PreviewSubject,
    knowsAll: boolean,
    progress: PreviewProgress,
  ): Promise<ChangePreview> {
    const draft = await this.drafts.of(ctx, subject);
    const total = await this.effects.count(draft, null);
    const known = knowsAll || !canAdministerPlatform(ctx.actor) ? knowledgeOf(ctx.actor) : false;
    return this.judge(ctx, draft, known, (done) => progress(done, Math.max(total, done)));
  }

  /** All users whom the change affects. Counted as other lists of users. */
  async file(ctx: RequestContext, subject: PreviewSubject): Promise<StreamedFile> {
    const tenantId = await this.drafts.tenantOf(subject);
    const leave = this.places.takeFile(ctx, tenantId);
    const drafted = this.places.run(ctx, tenantId, () => this.drafted(ctx, subject));
    const draft = await drafted.catch((error: unknown) => {
      leave();
      throw error;
    });
    const day = this.clock.now().toISOString().slice(0, 10);
    const chunks = this.lines(ctx, draft, leave);
    return { fileName: `preview-${day}.csv`, contentType: 'text/csv; charset=utf-8', chunks };
  }

  /** With its entry. */
  private async drafted(ctx: RequestContext, subject: PreviewSubject): Promise<DraftedChange> {
    const draft = await this.drafts.of(ctx, subject);
    const { tenantId, appId } = draft;
    await this.exported.record(ctx, {
      ...(tenantId === null ? {} : { tenantId }),
      ...(appId === null ? {} : { appId }),
      metadata: { format: 'csv', of: 'preview' },
    });
    return draft;
  }

  private async judge(
    ctx: RequestContext,
    draft: DraftedChange,
    known: Knowledge | boolean,
    progress: (done: number) => Promise<void>,
  ): Promise<ChangePreview> {
    const counter = new EffectCounter(ctx);
    for await (const judged of this.effects.walk(draft, known, true)) {
      counter.add(judged);
      await progress(counter.members);
    }
    const { members, locksYouOut } = counter;
    const { endsDirectSignIn } = draft;
    return { members, effects: counter.effects(), locksYouOut, endsDirectSignIn, past: counter.past() };
  }

  private async *lines({ actor }: RequestContext, draft: DraftedChange, leave: () => void): AsyncGenerator<string> {
    try {
      yield csvLine(COLUMNS);
      for await (const { affected } of this.places.inTurns(this.effects.walk(draft, knowledgeOf(actor)))) {
        yield affected.map((each) => csvLine(cellsOf(each))).join('');
      }
    } finally {
      leave();
    }
  }
}

function cellsOf(affected: Affected): (string | null)[] {
  const { effect, rule, appId, appName, userId, email, displayName, methodBefore, methodAfter } = affected;
  return [effect, rule, appId, appName, userId, email, displayName, methodBefore, methodAfter];
}
