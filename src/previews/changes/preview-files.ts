import { Injectable } from '@nestjs/common';
import { csvLine } from '../../admin/audit-log/csv.rules.js';
import { ExportedLists } from '../../admin/users/directory/exported-lists.js';
import { CallerAuthorities } from '../../auth/access/caller-authorities.service.js';
import { visibilityOf } from '../../auth/entry/visibility.js';
import { Clock } from '../../common/clock.js';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import type { RequestContext } from '../../common/request-context.js';
import { ChangeEffects } from '../effects/change-effects.js';
import type { Affected } from '../effects/judged-members.js';
import type { DraftedChange } from '../proposals/drafted-changes.js';
import { PreviewLimiter } from '../proposals/preview-limiter.js';
import type { PreviewScope } from '../proposals/preview-subject.js';

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

/**
 * All affected users of a change as a file, however many: evaluated again while they are read, and counted like other
 * exports of users.
 */
@Injectable()
export class PreviewFiles {
  constructor(
    private readonly effects: ChangeEffects,
    private readonly exported: ExportedLists,
    private readonly limiter: PreviewLimiter,
    private readonly authorities: CallerAuthorities,
    private readonly clock: Clock,
  ) {}

  /**
   * @param drafted returns the change
   * @throws as {@link PreviewLimiter.run}, and errors of `drafted`
   */
  async of(ctx: RequestContext, about: PreviewScope, drafted: () => Promise<DraftedChange>): Promise<StreamedFile> {
    const leave = this.limiter.acquireFile(ctx, about);
    const recorded = this.limiter.run(ctx, about, async () => this.recorded(ctx, await drafted()));
    const draft = await recorded.catch((error: unknown) => {
      leave();
      throw error;
    });
    const day = this.clock.now().toISOString().slice(0, 10);
    const chunks = this.authorities.watch(ctx, this.lines(ctx, about, draft, leave));
    return { fileName: `preview-${day}.csv`, contentType: 'text/csv; charset=utf-8', chunks };
  }

  /** Writes the audit entry. */
  private async recorded(ctx: RequestContext, draft: DraftedChange): Promise<DraftedChange> {
    const { tenantId, appId } = draft;
    await this.exported.record(ctx, {
      ...(tenantId === null ? {} : { tenantId }),
      ...(appId === null ? {} : { appId }),
      metadata: { format: 'csv', of: 'preview' },
    });
    return draft;
  }

  private async *lines(
    ctx: RequestContext,
    about: PreviewScope,
    draft: DraftedChange,
    leave: () => void,
  ): AsyncGenerator<string> {
    try {
      yield csvLine(COLUMNS);
      const pieces = this.effects.walk(draft, visibilityOf(ctx.actor));
      for await (const { affected } of this.limiter.eachInTurn(ctx, about, pieces)) {
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
