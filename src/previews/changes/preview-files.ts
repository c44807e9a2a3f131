import { Injectable } from '@nestjs/common';
import { csvFile, csvLine } from '../../admin/audit-log/csv.rules.js';
import { ExportedLists } from '../../admin/users/directory/exported-lists.js';
import { ExportFiles } from '../../auth/access/export-files.js';
import { visibilityOf } from '../../auth/entry/visibility.js';
import { Clock } from '../../common/clock.js';
import { ConcurrencyLimiter } from '../../common/concurrency/concurrency-limiter.js';
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
    private readonly files: ExportFiles,
    private readonly clock: Clock,
  ) {}

  /**
   * @param drafted returns the change
   * @throws as {@link ExportFiles.begin} and {@link PreviewLimiter.run}, and errors of `drafted`
   */
  async of(ctx: RequestContext, about: PreviewScope, drafted: () => Promise<DraftedChange>): Promise<StreamedFile> {
    const holder = { tenantId: about.tenantId ?? 'several', appId: about.appId };
    const file = await this.files.begin(ctx, [holder], undefined, async () => {
      const draft = await this.limiter.run(ctx, about, async () => this.recorded(ctx, await drafted()));
      return csvFile('preview', this.clock.now(), this.lines(ctx, draft));
    });
    // Rests between batches, because evaluating members takes more of the processor than other exports; in these rests
    // others have their turn.
    return { ...file, chunks: new ConcurrencyLimiter(1).each(file.chunks) };
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

  private async *lines({ actor }: RequestContext, draft: DraftedChange): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for await (const { affected } of this.effects.walk(draft, visibilityOf(actor)))
      yield affected.map((each) => csvLine(cellsOf(each))).join('');
  }
}

function cellsOf(affected: Affected): (string | null)[] {
  const { effect, rule, appId, appName, userId, email, displayName, methodBefore, methodAfter } = affected;
  return [effect, rule, appId, appName, userId, email, displayName, methodBefore, methodAfter];
}
