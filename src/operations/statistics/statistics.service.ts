import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { authorityOf, canAdministerApp, canAdministerTenant } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { type Measure, MEASURES } from '../../common/statistics/daily-measure.js';
import { lastDays } from './days.rules.js';
import { EVERYTHING, StatisticsRepository } from './statistics.repository.js';

export interface DailySeries {
  /** `YYYY-MM-DD` in UTC, oldest first; the last one is today and not over. */
  readonly days: readonly string[];
  /** A number for each of the days. */
  readonly counts: Readonly<Record<Measure, readonly number[]>>;
}

export interface StatisticsFilter {
  readonly days: 14 | 30;
  readonly appId?: string;
  readonly tenantId?: string;
}

/** Numbers by day, for what the caller may see. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Of one app, of one tenant, or of everything that the caller administers.
   * @throws InsufficientPermissions for a foreign app or tenant
   */
  async read(ctx: RequestContext, filter: StatisticsFilter): Promise<DailySeries> {
    const scopes = await this.scopes(ctx, filter);
    const days = lastDays(this.clock.now(), filter.days);
    const rows = scopes.length > 0 ? await this.statistics.read(scopes, days[0]!) : [];
    const found = new Map(rows.map(({ day, measure, count }) => [`${measure} ${day}`, count]));
    const counts = MEASURES.map(
      (measure) => [measure, days.map((day) => found.get(`${measure} ${day}`) ?? 0)] as const,
    );
    return { days, counts: Object.fromEntries(counts) as Record<Measure, number[]> };
  }

  private async scopes({ actor }: RequestContext, { appId, tenantId }: StatisticsFilter): Promise<string[]> {
    if (appId !== undefined) {
      const client = await this.directory.find(appId);
      if (!client || !canAdministerApp(actor, client.app)) throw new InsufficientPermissions();
      return [client.app.id];
    }
    if (tenantId !== undefined) {
      if (!canAdministerTenant(actor, tenantId)) throw new InsufficientPermissions();
      return [tenantId];
    }
    const { platform, tenants, appsAdministered } = authorityOf(actor);
    if (platform) return [EVERYTHING];
    const apps = await Promise.all([...appsAdministered].map((id) => this.directory.find(id)));
    // An app of a tenant that is counted as a whole would count twice.
    const beside = apps.filter((client) => client !== null && !tenants.has(client.tenant.id));
    return [...tenants, ...beside.map((client) => client!.app.id)];
  }
}
