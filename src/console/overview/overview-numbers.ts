import { Injectable } from '@nestjs/common';
import { StatisticsService } from '../../operations/statistics/statistics.service.js';
import { DEFAULT_PERIOD, periodCharts, periodLinks, readPeriod } from '../charts/period.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { appChoices, OwnApps } from '../frame/requests/own-apps.js';
import { overviewTiles } from './tiles.rules.js';

const PATH = '/console/';
/** Two weeks to compare, and today. */
const TILE_DAYS = 15;

/**
 * Figures of the last week and charts of a period, of everything that the operator administers or of one of their apps.
 */
@Injectable()
export class OverviewNumbers {
  constructor(
    private readonly statistics: StatisticsService,
    private readonly apps: OwnApps,
  ) {}

  async read(consoleRequest: ConsoleRequest, query: Readonly<Record<string, unknown>>) {
    const { listCtx, chosenTenantId } = consoleRequest;
    const period = readPeriod(query['period']);
    const selection = await this.apps.select(consoleRequest, query['app_q'], query['app']);
    const found = selection.hit ?? selection.apps.find(({ id }) => id === query['app']);
    const chosen = chosenTenantId && found?.tenantId !== chosenTenantId ? undefined : found;
    const filter = chosen ? { appId: chosen.id } : {};
    const [week, charts] = await Promise.all([
      this.statistics.read(listCtx, { unit: 'day', length: TILE_DAYS }),
      periodCharts(this.statistics, listCtx, period, filter),
    ]);
    return {
      tiles: overviewTiles(week),
      charts,
      chartedApp: chosen?.label ?? null,
      period: period === DEFAULT_PERIOD ? '' : period.key,
      periods: periodLinks(PATH, period, chosen ? { app: chosen.id } : {}),
      groups: appChoices(selection.apps, chosen?.id, 'All apps'),
      appSearch: selection.search,
      isSearchable: selection.isSearchable,
    };
  }
}
