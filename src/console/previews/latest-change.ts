import { Injectable } from '@nestjs/common';
import { ChangeComparisons } from '../../apps/change-comparisons.service.js';
import { type ComparisonInWords, comparisonInWords } from './comparison-words.js';

/** So long a page of settings speaks of a change. */
const SHOWN_DAYS = 14;

/** On a page of settings: the last change that affected users, and what has become of them. */
@Injectable()
export class LatestChange {
  constructor(private readonly comparisons: ChangeComparisons) {}

  /** @param appId null: of the tenant itself @returns null: none lately */
  async of(tenantId: string, appId: string | null): Promise<(ComparisonInWords & { readonly href: string }) | null> {
    const latest = await this.comparisons.findLatest(tenantId, appId, SHOWN_DAYS);
    if (!latest) return null;
    const day = latest.changedAt.toISOString().slice(0, 10);
    const place: Record<string, string> = appId === null ? { tenant_id: tenantId } : { app_id: appId };
    const query = new URLSearchParams(Object.entries({ ...place, from: day, to: day })).toString();
    return { ...comparisonInWords(latest), href: `/console/audit?${query}#entry-${latest.auditEntryId}` };
  }
}
