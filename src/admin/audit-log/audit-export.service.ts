import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/apps.service.js';
import { AuditExports, type AuditSnapshot } from '../../audit/audit-exports.js';
import type { AuditSelection } from '../../audit/audit-list.query.js';
import { AuditService, type AuditSubject } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import type { StreamedFile } from '../../common/http/streamed-file.js';
import { ServiceUnavailable } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { callerKey } from '../../rate-limits/counter-keys.rules.js';
import { RateLimited } from '../../rate-limits/rate-limited.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { AuditReader } from './audit-reader.service.js';
import type { AuditExportQuery, ExportFormat } from './audit.dto.js';
import { ENTRY_TEXTS } from './audit-text.js';

/**
 * Exports of a process at a time: each holds a connection of the pool, which has ten. One of each caller, so that no one
 * can keep all tenants from theirs by reading slowly.
 */
const MOST_AT_ONCE = 2;

/** The audit log as a file: the entries of the list, and all of them. */
@Injectable()
export class AuditExportService {
  /** Who reads one now. */
  private readonly callers = new Set<string>();

  constructor(
    private readonly reader: AuditReader,
    private readonly exports: AuditExports,
    private readonly audit: AuditService,
    private readonly apps: AppsService,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * The entry `audit.exported` is written first: what follows has been shown. `chunks` must be read or returned.
   * @throws InsufficientPermissions as the list does, RateLimited, ServiceUnavailable
   */
  async begin(ctx: RequestContext, { format = 'ndjson', ...query }: AuditExportQuery): Promise<StreamedFile> {
    const selection = await this.reader.selection(ctx, query);
    const caller = ctx.actor.type === 'user' ? callerKey(ctx.actor.userId) : ctx.actor.type;
    if (ctx.actor.type === 'user') await this.limits.consume('audit_export', caller);
    this.takePlace(caller);
    const snapshot = await this.snapshot(selection, caller);
    try {
      const metadata = { format, entries: snapshot.count, filters: { ...query } };
      await this.audit.recordAlone(ctx, 'audit.exported', { ...(await this.subject(selection)), metadata });
    } catch (error) {
      await this.end(snapshot, caller);
      throw error;
    }
    return { ...fileOf(format, snapshot.at), chunks: this.text(snapshot, format, caller) };
  }

  /** @throws RateLimited, ServiceUnavailable */
  private takePlace(caller: string): void {
    if (this.callers.has(caller)) throw new RateLimited('Your last export is still in progress', 10);
    if (this.callers.size >= MOST_AT_ONCE) throw new ServiceUnavailable('Too many exports are in progress', 10);
    this.callers.add(caller);
  }

  private async snapshot(selection: AuditSelection, caller: string): Promise<AuditSnapshot> {
    try {
      return await this.exports.open(selection);
    } catch (error) {
      this.callers.delete(caller);
      throw error;
    }
  }

  private async *text(snapshot: AuditSnapshot, format: ExportFormat, caller: string): AsyncGenerator<string> {
    const { head, line } = ENTRY_TEXTS[format];
    try {
      yield head;
      for await (const entries of snapshot.batches) yield entries.map((entry: AuditEntry) => line(entry)).join('');
    } finally {
      await this.end(snapshot, caller);
    }
  }

  private async end(snapshot: AuditSnapshot, caller: string): Promise<void> {
    this.callers.delete(caller);
    await snapshot.close();
  }

  /** The tenant or app whose log it was, where it was one: its admins can read that it was exported. */
  private async subject({ scope, tenantId, appId }: AuditSelection): Promise<AuditSubject> {
    const { everything, tenantIds, appIds } = scope;
    const onlyApp = !everything && tenantIds.length === 0 && appIds.length === 1 ? appIds[0] : undefined;
    const app = await this.findApp(appId ?? onlyApp);
    const onlyTenant = !everything && tenantIds.length === 1 && appIds.length === 0 ? tenantIds[0] : undefined;
    return { appId: app?.id, tenantId: app?.tenantId ?? tenantId ?? onlyTenant };
  }

  private async findApp(id: string | undefined) {
    return id === undefined ? null : this.apps.find(id);
  }
}

/** The name has the day, in UTC. */
function fileOf(format: ExportFormat, at: Date): Pick<StreamedFile, 'fileName' | 'contentType'> {
  return {
    fileName: `audit-log-${at.toISOString().slice(0, 10)}.${format}`,
    contentType: ENTRY_TEXTS[format].contentType,
  };
}
