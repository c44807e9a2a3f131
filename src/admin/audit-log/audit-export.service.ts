import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { AuditExports, type ExportedLog } from '../../audit/audit-exports.js';
import type { AuditSelection } from '../../audit/audit-list.query.js';
import { AuditService, type AuditSubject } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import { canAdministerPlatform } from '../../common/actor.js';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import type { RequestContext } from '../../common/request-context.js';
import { type TenantOrApp, alternativeLimitsOf } from '../../common/concurrency/caller-limits.js';
import { OnePerCaller } from '../../rate-limits/one-per-caller.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { AuditReader } from './audit-reader.service.js';
import type { AuditExportQuery, ExportFormat } from './audit.dto.js';
import { ENTRY_TEXTS } from './audit-text.js';

/**
 * Concurrent exports of one tenant's log; one of each app's log. An export holds no database connection while the client
 * reads, so a slow client keeps no other request waiting for one.
 */
const MAX_EXPORTS_PER_TENANT = 3;
/** Matches no entry. */
const NO_TENANT = 'none';

/** Exports the audit log as a file: all entries that the list would show, across its pages. */
@Injectable()
export class AuditExportService {
  private readonly onePerCaller = new OnePerCaller({
    busy: 'Your last export is still in progress',
    crowded: 'Too many exports are in progress',
    retrySeconds: 10,
  });

  constructor(
    private readonly reader: AuditReader,
    private readonly exports: AuditExports,
    private readonly audit: AuditService,
    private readonly apps: AppsService,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Writes the entry `audit.exported` first, because everything sent after it has been disclosed. `chunks` must be read
   * or returned.
   * @param closing aborted when the client has disconnected
   * @throws InsufficientPermissions as the list does, RateLimited, ServiceUnavailable
   */
  async begin(
    ctx: RequestContext,
    { format = 'ndjson', ...query }: AuditExportQuery,
    closing: AbortSignal,
  ): Promise<StreamedFile> {
    const selection = await this.reader.selection(ctx, query);
    const caller = callerKey(ctx.actor) ?? ctx.actor.type;
    if (ctx.actor.type === 'user') await this.limits.consume('audit_export', caller);
    const holders = canAdministerPlatform(ctx.actor) ? null : await this.holdersOf(selection);
    // Exports of others never take the permit of a platform admin.
    const limits = holders === null ? [[]] : alternativeLimitsOf(ctx.actor, holders, MAX_EXPORTS_PER_TENANT);
    const release = this.onePerCaller.acquire(caller, limits);
    try {
      const log = await this.exports.open(ctx.actor, selection, holders, closing);
      const metadata = { format, entries: log.count, filters: { ...query } };
      await this.audit.recordAlone(ctx, 'audit.exported', { ...(await this.subject(selection)), metadata });
      return { ...fileOf(format, log.at), chunks: this.reader.watch(ctx, this.text(log, format, release)) };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async *text(log: ExportedLog, format: ExportFormat, release: () => void): AsyncGenerator<string> {
    const { head, line } = ENTRY_TEXTS[format];
    try {
      yield head;
      for await (const entries of log.batches) {
        yield entries.map((entry: AuditEntry) => line(entry)).join('');
      }
    } finally {
      release();
    }
  }

  /** The exported tenant or app, if it is a single one: its admins can read that their log was exported. */
  private async subject({ scope, tenantId, appId }: AuditSelection): Promise<AuditSubject> {
    const { everything, tenantIds, appIds } = scope;
    const onlyApp = !everything && tenantIds.length === 0 && appIds.length === 1 ? appIds[0] : undefined;
    const app = await this.findApp(appId ?? onlyApp);
    const onlyTenant = !everything && tenantIds.length === 1 && appIds.length === 0 ? tenantIds[0] : undefined;
    return { appId: app?.id, tenantId: app?.tenantId ?? tenantId ?? onlyTenant };
  }

  /** Owner of the exported log: the app or tenant in the query, otherwise everything that the reader administers. */
  private async holdersOf({ scope, tenantId, appId }: AuditSelection): Promise<readonly TenantOrApp[]> {
    if (tenantId !== undefined && appId === undefined) return [{ tenantId, appId: null }];
    const apps = await this.apps.listTenantsOf(appId === undefined ? scope.appIds : [appId]);
    const tenants = appId === undefined ? scope.tenantIds.map((id) => ({ tenantId: id, appId: null })) : [];
    const holders = [...tenants, ...apps.map(({ id, tenantId: of }) => ({ tenantId: of, appId: id }))];
    return holders.length > 0 ? holders : [{ tenantId: NO_TENANT, appId: null }];
  }

  private async findApp(id: string | undefined) {
    return id === undefined ? null : this.apps.find(id);
  }
}

/** The file name contains the UTC date. */
function fileOf(format: ExportFormat, at: Date): Pick<StreamedFile, 'fileName' | 'contentType'> {
  return {
    fileName: `audit-log-${at.toISOString().slice(0, 10)}.${format}`,
    contentType: ENTRY_TEXTS[format].contentType,
  };
}
