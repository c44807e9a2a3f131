import { Injectable } from '@nestjs/common';
import type { AuditSubject } from '../../audit/audit.service.js';
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
  ) {}

  /**
   * Writes the audit entry, because everything after it is disclosed. With users, it counts like other exports of
   * users. @throws RateLimited
   */
  async write(
    ctx: RequestContext,
    action: 'app.exported' | 'tenant.exported',
    { includeUsers, includeCredentials }: ExportOptions,
    subject: AuditSubject,
  ): Promise<void> {
    if (includeUsers && ctx.actor.type === 'user') await this.limits.consume('user_list_export', callerKey(ctx.actor));
    const metadata = { include_users: includeUsers, include_credentials: includeUsers && includeCredentials };
    await this.audit.recordAlone(ctx, action, { ...subject, metadata });
  }
}
