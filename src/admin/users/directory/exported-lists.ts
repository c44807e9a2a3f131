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

/** Files with names of users. The service that sends one counts it here, and writes its entry first. */
@Injectable()
export class ExportedLists {
  constructor(
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
  ) {}

  /** The entry `user_list.exported`: what follows has been shown. @throws RateLimited */
  async record(ctx: RequestContext, list: ExportedList): Promise<void> {
    if (ctx.actor.type === 'user') await this.limits.consume('user_list_export', callerKey(ctx.actor));
    await this.audit.recordAlone(ctx, 'user_list.exported', { ...list });
  }
}
