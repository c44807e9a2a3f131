import type { DailySeries } from '../../operations/statistics/statistics.service.js';
import { barChart, type Chart, type ChartFrame, lineChart } from './chart.js';
import { finding, findingOfPeak, type Noun } from './finding.rules.js';

const SIGN_INS: Noun = ['sign-in', 'sign-ins'];
const USERS: Noun = ['active user', 'active users'];
const TOKENS: Noun = ['token pair issued', 'token pairs issued'];
const PUSHES: Noun = ['notification', 'notifications'];

/**
 * The charts of a dashboard, over the last `shown` days of a longer series: comparisons reach further back than what is
 * drawn.
 */
export function statisticsCharts({ days, counts }: DailySeries, shown: number): Chart[] {
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(-shown);
  const frame = (id: string, title: string, note: string): ChartFrame => ({ id, title, note, days: cut(days) });
  const today = (values: readonly number[]): string => `today so far ${(values.at(-1) ?? 0).toLocaleString('en')}`;
  const bars = (id: string, title: string, what: string, label: string, values: readonly number[]): Chart =>
    barChart(frame(id, title, `${what}; ${today(values)}`), { label, values: cut(values) });
  return [
    lineChart(
      frame(
        'sign-ins',
        finding(counts.sign_ins, SIGN_INS),
        `Successful sign-ins, ${today(counts.sign_ins)}, and failed attempts, ${today(counts.failures)}`,
      ),
      [
        { label: 'Sign-ins', values: cut(counts.sign_ins) },
        { label: 'Refused', values: cut(counts.failures) },
      ],
    ),
    bars(
      'active-users',
      findingOfPeak(cut(counts.active_users), cut(days), USERS),
      'Users who signed in or used an app, each counted once a day',
      'Users',
      counts.active_users,
    ),
    bars(
      'tokens',
      finding(counts.tokens_issued, TOKENS),
      'At sign-in and at each refresh',
      'Pairs',
      counts.tokens_issued,
    ),
    ...(cut(counts.pushes).some((count) => count > 0)
      ? [bars('pushes', finding(counts.pushes, PUSHES), 'Accepted for delivery', 'Notifications', counts.pushes)]
      : []),
  ];
}
