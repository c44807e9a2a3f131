import { Injectable } from '@nestjs/common';
import { AppsService } from '../apps/apps.service.js';
import { type AuditPage, AuditService } from '../audit/audit.service.js';
import { authorityOf, governsApp, governsTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import { cursorOf } from '../common/http/query-cursor.js';
import type { RequestContext } from '../common/request-context.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import type { AuditQuery } from './audit.dto.js';

/** The audit log as far as the caller's authority goes. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly audit: AuditService,
    private readonly apps: AppsService,
  ) {}

  /** @throws InsufficientPermissions for a foreign tenant or app in the filter */
  async list(ctx: RequestContext, query: AuditQuery, page: { limit: number; page: number }): Promise<AuditPage> {
    const { platform, tenants, appsAdministered } = authorityOf(ctx.actor);
    if (query.tenant_id && !governsTenant(ctx.actor, query.tenant_id.toLowerCase()))
      throw new InsufficientPermissions();
    if (query.app_id && !platform) {
      const app = await this.apps.find(query.app_id);
      if (!app || !governsApp(ctx.actor, app)) throw new InsufficientPermissions();
    }
    return this.audit.list({
      scope: { everything: platform, tenantIds: [...tenants], appIds: [...appsAdministered] },
      tenantId: query.tenant_id,
      appId: query.app_id,
      userId: query.user_id,
      action: query.action,
      before: moment(query.before, 'before'),
      after: moment(query.after, 'after'),
      cursor: cursorOf(query.cursor),
      ...page,
    });
  }
}

function moment(text: string | undefined, name: string): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new InvalidInput([{ loc: ['query', name], msg: 'Input should be an ISO 8601 time', type: 'value_error' }]);
  return date;
}
