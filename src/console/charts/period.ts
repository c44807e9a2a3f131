import type { RequestContext } from '../../common/request-context.js';
import { MAX_SPAN_DAYS } from '../../operations/statistics/daily-count.job.js';
import type { StatisticsService } from '../../operations/statistics/statistics.service.js';
import type { Chart } from './chart.js';
import type { Span } from './finding.rules.js';
import { statisticsCharts } from './statistics-charts.js';

/** A period that charts can show. */
export interface Period extends Span {
  /** Name in the URL. */
  readonly key: string;
  readonly label: string;
}

const days = (length: number): Period => ({ key: `${length}d`, label: `${length} days`, length, unit: 'day' });
export const DEFAULT_PERIOD = days(14);
const PERIODS: readonly Period[] = [
  { key: '24h', label: '24 hours', length: 24, unit: 'hour' },
  days(7),
  DEFAULT_PERIOD,
  days(30),
  days(90),
];

/** Reads the query parameter; 14 days if it is unknown. */
export function readPeriod(requested: unknown): Period {
  return PERIODS.find(({ key }) => key === requested) ?? DEFAULT_PERIOD;
}

/** Links to the same page for each period. */
export function periodLinks(path: string, current: Period, parameters: Readonly<Record<string, string>> = {}) {
  return PERIODS.map((period) => {
    const query = new URLSearchParams({ ...parameters, ...(period === DEFAULT_PERIOD ? {} : { period: period.key }) });
    const href = query.size > 0 ? `${path}?${query.toString()}` : path;
    return { label: period.label, href, isCurrent: period === current };
  });
}

/**
 * Compares with as many days or hours before, unless these may never have been counted.
 * @throws InsufficientPermissions for an app that the operator does not administer
 */
export async function periodCharts(
  statistics: StatisticsService,
  ctx: RequestContext,
  period: Period,
  filter: { readonly appId?: string } = {},
): Promise<Chart[]> {
  const { unit } = period;
  const isComparable = unit === 'hour' || 2 * period.length <= MAX_SPAN_DAYS;
  const length = (isComparable ? 2 : 1) * period.length + 1;
  return statisticsCharts(await statistics.read(ctx, { ...filter, unit, length }), period);
}
