import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { callerKey } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';

export interface ExportedList {
  readonly tenantId?: string | undefined;
  readonly appId?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Exports with names of users. The exporting service counts them against the rate limit and writes the audit entry
 * here, before it sends anything.
 */
@Injectable()
export class ExportedLists {
  constructor(
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
  ) {}

  /** Writes the audit entry `user_list.exported`, before the data is sent. @throws RateLimited */
  async record(ctx: RequestContext, list: ExportedList): Promise<void> {
    if (ctx.actor.type === 'user') await this.limits.consume('user_list_export', callerKey(ctx.actor));
    await this.audit.recordAlone(ctx, 'user_list.exported', { ...list });
  }
}
