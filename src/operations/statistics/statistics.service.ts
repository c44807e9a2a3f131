import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { authorityOf, canAdministerApp, canAdministerTenant } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { type Measure, MEASURES } from '../../common/statistics/daily-measure.js';
import { lastBuckets, type Unit } from './buckets.rules.js';
import { TOTAL_SCOPE, StatisticsRepository } from './statistics.repository.js';

export interface StatisticsSeries {
  /** Days as `YYYY-MM-DD` in UTC, or ISO times of hours, oldest first; the last one is not complete. */
  readonly starts: readonly string[];
  /** One number for each of them. */
  readonly counts: Readonly<Record<Measure, readonly number[]>>;
}

export interface StatisticsFilter {
  readonly unit: Unit;
  /** Number of days or hours, including the current one. */
  readonly length: number;
  readonly appId?: string;
  readonly tenantId?: string;
}

/** Daily and hourly numbers, for what the caller may see. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * For one app, for one tenant, or for everything that the caller administers.
   * @throws InsufficientPermissions for a foreign app or tenant
   */
  async read(ctx: RequestContext, filter: StatisticsFilter): Promise<StatisticsSeries> {
    const { unit, length } = filter;
    const scopes = await this.scopes(ctx, filter);
    const starts = lastBuckets(unit, this.clock.now(), length);
    const rows = scopes.length > 0 ? await this.statistics.read(unit, scopes, starts[0]!) : [];
    const found = new Map(rows.map(({ start, measure, count }) => [`${measure} ${start}`, count]));
    const counts = MEASURES.map(
      (measure) => [measure, starts.map((start) => found.get(`${measure} ${start}`) ?? 0)] as const,
    );
    return { starts, counts: Object.fromEntries(counts) as Record<Measure, number[]> };
  }

  private async scopes(
    { actor }: RequestContext,
    { appId, tenantId }: Pick<StatisticsFilter, 'appId' | 'tenantId'>,
  ): Promise<string[]> {
    if (appId !== undefined) {
      const client = await this.directory.findOfAnyOrigin(appId);
      if (!client || !canAdministerApp(actor, client.app)) throw new InsufficientPermissions();
      return [client.app.id];
    }
    if (tenantId !== undefined) {
      if (!canAdministerTenant(actor, tenantId)) throw new InsufficientPermissions();
      return [tenantId];
    }
    const { platform, tenants, appsAdministered } = authorityOf(actor);
    if (platform) return [TOTAL_SCOPE];
    const apps = await Promise.all([...appsAdministered].map((id) => this.directory.findOfAnyOrigin(id)));
    // An app of a tenant that counts as a whole must not count twice.
    const beside = apps.filter((client) => client !== null && !tenants.has(client.tenant.id));
    return [...tenants, ...beside.map((client) => client!.app.id)];
  }
}
