import { Injectable } from '@nestjs/common';
import { ChangeComparisons } from '../../apps/comparisons/change-comparisons.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { MAX_PLANNED_PER_TENANT } from '../../operators/scheduled-changes/planning/schedulable.rules.js';
import { ScheduledChanges } from '../../operators/scheduled-changes/planning/scheduled-changes.service.js';
import { settingsInWords } from '../scheduled-changes/scheduled-words.js';
import { type ComparisonInWords, comparisonInWords } from './comparison-words.js';

/** Days for which a settings page shows a change. */
const SHOWN_DAYS = 14;

export interface SettingChangesModel {
  /** Null: no recent change. */
  readonly latest: (ComparisonInWords & { readonly href: string }) | null;
  /** In the order in which they take effect. */
  readonly planned: readonly { readonly settings: string; readonly from: string }[];
}

/** For a settings page: the last change that affected users, with its outcome, and scheduled changes. */
@Injectable()
export class SettingChanges {
  constructor(
    private readonly comparisons: ChangeComparisons,
    private readonly scheduled: ScheduledChanges,
  ) {}

  /** @param appId null: of the tenant itself */
  async of(ctx: RequestContext, tenantId: string, appId: string | null): Promise<SettingChangesModel> {
    const [latest, planned] = await Promise.all([this.latestOf(tenantId, appId), this.plannedOf(ctx, tenantId, appId)]);
    return { latest, planned };
  }

  private async latestOf(tenantId: string, appId: string | null): Promise<SettingChangesModel['latest']> {
    const latest = await this.comparisons.findLatest(tenantId, appId, SHOWN_DAYS);
    if (!latest) return null;
    const day = latest.changedAt.toISOString().slice(0, 10);
    const owner: Record<string, string> = appId === null ? { tenant_id: tenantId } : { app_id: appId };
    const query = new URLSearchParams(Object.entries({ ...owner, from: day, to: day })).toString();
    return { ...comparisonInWords(latest), href: `/console/audit?${query}#entry-${latest.auditEntryId}` };
  }

  private async plannedOf(
    ctx: RequestContext,
    tenantId: string,
    appId: string | null,
  ): Promise<SettingChangesModel['planned']> {
    const filter = { tenantId, ...(appId === null ? {} : { appId }), state: 'planned' as const };
    const [changes] = await this.scheduled.list(ctx, filter, 1, MAX_PLANNED_PER_TENANT);
    return changes
      .filter((change) => change.appId === appId)
      .map((change) => ({ settings: settingsInWords(change), from: change.effectiveAt.toUTCString() }));
  }
}
