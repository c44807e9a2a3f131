import { Injectable } from '@nestjs/common';
import type { AppUpdate } from '../apps/app.dto.js';
import { AuditService } from '../audit/audit.service.js';
import { canAdministerPlatform } from '../common/actor.js';
import { Clock } from '../common/clock.js';
import type { StreamedFile } from '../common/http/streamed-file.js';
import type { RequestContext } from '../common/request-context.js';
import { callerKey } from '../rate-limits/counter-keys.rules.js';
import { RateLimitsService } from '../rate-limits/rate-limits.service.js';
import { csvLine } from '../admin/audit-log/csv.rules.js';
import type { TenantUpdate } from '../admin/tenant.dto.js';
import { type Affected, ChangeEffects } from './change-effects.js';
import { type DraftedChange, DraftedChanges } from './drafted-changes.js';
import { type Effect, EFFECTS } from './effect.rules.js';

/** Memberships that are judged while the caller waits, some seconds; the file has no such limit. */
export const MOST_JUDGED = 100_000;
/** Users that are named for each effect; the file has all. */
const NAMED = 50;

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

export interface EffectCount {
  readonly effect: Effect;
  readonly count: number;
  /** The first ones, oldest account first. */
  readonly users: readonly Affected[];
}

/** What a change would do to the next sign-in of each member. */
export interface ChangePreview {
  /** Memberships that were judged. */
  readonly members: number;
  /** False: there are more than {@link MOST_JUDGED}, and the others were not judged. */
  readonly isComplete: boolean;
  /** Only effects that occur, the most serious first. */
  readonly effects: readonly EffectCount[];
  /** The caller could no longer enter one of the apps. */
  readonly locksYouOut: boolean;
}

/** What a change would do, before it is saved. */
@Injectable()
export class ChangePreviews {
  constructor(
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
    private readonly clock: Clock,
  ) {}

  async ofApp(ctx: RequestContext, id: string, input: AppUpdate): Promise<ChangePreview> {
    return this.preview(ctx, await this.drafts.ofApp(ctx, id, input));
  }

  async ofTenant(ctx: RequestContext, id: string, input: TenantUpdate): Promise<ChangePreview> {
    return this.preview(ctx, await this.drafts.ofTenant(ctx, id, input));
  }

  /** All users whom the change affects. */
  async fileOfApp(ctx: RequestContext, id: string, input: AppUpdate): Promise<StreamedFile> {
    return this.file(ctx, await this.drafts.ofApp(ctx, id, input));
  }

  async fileOfTenant(ctx: RequestContext, id: string, input: TenantUpdate): Promise<StreamedFile> {
    return this.file(ctx, await this.drafts.ofTenant(ctx, id, input));
  }

  private async preview(ctx: RequestContext, draft: DraftedChange): Promise<ChangePreview> {
    await this.count(ctx);
    const counts = new Map<Effect, { count: number; users: Affected[] }>();
    let [members, locksYouOut, isComplete] = [0, false, true];
    for await (const judged of this.effects.walk(draft.clients, canAdministerPlatform(ctx.actor))) {
      isComplete = members < MOST_JUDGED;
      if (!isComplete) break;
      members += judged.members;
      for (const affected of judged.affected) {
        const known = counts.get(affected.effect) ?? { count: 0, users: [] };
        known.count += 1;
        if (known.users.length < NAMED) known.users.push(affected);
        counts.set(affected.effect, known);
        locksYouOut ||= affected.effect === 'shut_out' && isCaller(ctx, affected);
      }
    }
    const effects = EFFECTS.flatMap((effect) => {
      const found = counts.get(effect);
      return found ? [{ effect, ...found }] : [];
    });
    return { members, isComplete, effects, locksYouOut };
  }

  /** The entry `user_list.exported` is written first: what follows has been shown. */
  private async file(ctx: RequestContext, draft: DraftedChange): Promise<StreamedFile> {
    await this.count(ctx);
    const { tenantId, appId } = draft;
    await this.audit.recordAlone(ctx, 'user_list.exported', {
      tenantId,
      ...(appId === null ? {} : { appId }),
      metadata: { format: 'csv', of: 'preview' },
    });
    const day = this.clock.now().toISOString().slice(0, 10);
    return { fileName: `preview-${day}.csv`, contentType: 'text/csv; charset=utf-8', chunks: this.lines(ctx, draft) };
  }

  private async *lines({ actor }: RequestContext, { clients }: DraftedChange): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for await (const { affected } of this.effects.walk(clients, canAdministerPlatform(actor))) {
      yield affected.map((each) => csvLine(cellsOf(each))).join('');
    }
  }

  private async count({ actor }: RequestContext): Promise<void> {
    if (actor.type === 'user') await this.limits.consume('change_preview', callerKey(actor.userId));
  }
}

function isCaller({ actor }: RequestContext, { userId }: Affected): boolean {
  return actor.type === 'user' && actor.userId === userId;
}

function cellsOf(affected: Affected): (string | null)[] {
  const { effect, rule, appId, appName, userId, email, displayName, methodBefore, methodAfter } = affected;
  return [effect, rule, appId, appName, userId, email, displayName, methodBefore, methodAfter];
}
