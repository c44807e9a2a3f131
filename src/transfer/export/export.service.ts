import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { canAdministerPlatform, canAdministerTenant } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import type { RequestContext } from '../../common/request-context.js';
import { TenantNotFound } from '../../tenants/tenants.errors.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { type DocumentOptions, DocumentText, type ExportOptions } from './document-text.js';
import { ExportRecord } from './export-record.js';

const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * Apps and tenants as documents, for the operators who administer them.
 */
@Injectable()
export class ExportService {
  constructor(
    private readonly apps: AppsService,
    private readonly tenants: TenantsService,
    private readonly text: DocumentText,
    private readonly record: ExportRecord,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws AppNotFound, RateLimited, ServiceUnavailable, InsufficientPermissions also for a Console app, which is created with its tenant
   */
  async app(ctx: RequestContext, id: string, options: ExportOptions): Promise<StreamedFile> {
    const app = await (ctx.actor.type === 'system' ? this.apps.get(id) : this.apps.getAdministered(ctx, id));
    if (app.isConsoleApp) throw new InsufficientPermissions();
    checkCredentials(ctx, options);
    const chunks = this.text.ofApp(app, asSeenBy(ctx, options), this.clock.now());
    const file = { fileName: `${app.bundleId}.json`, contentType: CONTENT_TYPE, chunks };
    return this.record.begin(ctx, { tenantId: app.tenantId, appId: app.id }, options, file);
  }

  /** @throws TenantNotFound, RateLimited, ServiceUnavailable, InsufficientPermissions */
  async tenant(ctx: RequestContext, id: string, options: ExportOptions): Promise<StreamedFile> {
    const tenant = await this.tenants.find(id);
    if (!tenant && canAdministerPlatform(ctx.actor)) throw new TenantNotFound();
    if (!tenant || !canAdministerTenant(ctx.actor, tenant.id)) throw new InsufficientPermissions();
    checkCredentials(ctx, options);
    const chunks = this.text.ofTenant(tenant, asSeenBy(ctx, options), this.clock.now());
    const file = { fileName: `${tenant.slug}.json`, contentType: CONTENT_TYPE, chunks };
    return this.record.begin(ctx, { tenantId: tenant.id, appId: null }, options, file);
  }
}

/** Password hashes allow offline guessing, which affects every tenant of a user. */
function checkCredentials(ctx: RequestContext, options: ExportOptions): void {
  if (options.includeCredentials && !canAdministerPlatform(ctx.actor)) throw new InsufficientPermissions();
}

/** Only platform admins may see where else a user has accounts, as on the user's page. */
function asSeenBy(ctx: RequestContext, options: ExportOptions): DocumentOptions {
  return { ...options, includeLinkedAccounts: canAdministerPlatform(ctx.actor) };
}
