import { Injectable } from '@nestjs/common';
import type { TenantOrApp } from '../../common/concurrency/caller-limits.js';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import { ChangeLimits } from '../../apps/changes/change-limits.js';
import { ExportFiles } from '../../auth/access/export-files.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { ExportOptions } from './document-text.js';

/** Records an export before its first line is sent. */
@Injectable()
export class ExportRecord {
  constructor(
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
    private readonly changes: ChangeLimits,
    private readonly files: ExportFiles,
  ) {}

  /**
   * Writes the audit entry, because everything after it is disclosed. With users, it counts like other exports of
   * users; otherwise as a change, because the entry cannot be deleted.
   * @throws RateLimited, and as {@link ExportFiles.begin}
   */
  begin(
    ctx: RequestContext,
    exported: TenantOrApp,
    { includeUsers, includeCredentials, closing }: ExportOptions,
    file: StreamedFile,
  ): Promise<StreamedFile> {
    const { tenantId, appId } = exported;
    const target = appId === null ? { type: 'tenant', id: tenantId } : { type: 'app', id: appId };
    const metadata = { include_users: includeUsers, include_credentials: includeUsers && includeCredentials };
    return this.files.begin(ctx, [exported], closing, async () => {
      if (includeUsers && ctx.actor.type === 'user')
        await this.limits.consume('user_list_export', callerKey(ctx.actor));
      else await this.changes.count(appId === null ? { ctx, tenantId } : { ctx, appId });
      await this.audit.recordAlone(ctx, appId === null ? 'tenant.exported' : 'app.exported', {
        tenantId,
        ...(appId === null ? {} : { appId }),
        target,
        metadata,
      });
      return file;
    });
  }
}
