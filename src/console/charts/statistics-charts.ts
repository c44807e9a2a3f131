import type { StatisticsSeries } from '../../operations/statistics/statistics.service.js';
import { bucketWords } from './bucket-words.js';
import { barChart, type Chart, type ChartFrame, lineChart } from './chart.js';
import { finding, findingOfPeak, type Noun, type Span } from './finding.rules.js';

const SIGN_INS: Noun = ['sign-in', 'sign-ins'];
const USERS: Noun = ['active user', 'active users'];
const TOKENS: Noun = ['token pair issued', 'token pairs issued'];
const PUSHES: Noun = ['notification', 'notifications'];

/** The charts of a dashboard, for the last buckets of a longer series: comparisons use more buckets than are drawn. */
export function statisticsCharts({ starts, counts }: StatisticsSeries, span: Span): Chart[] {
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(-span.length);
  const soFar = span.unit === 'day' ? 'today so far' : 'this hour so far';
  const last = (values: readonly number[]): string => `${soFar} ${(values.at(-1) ?? 0).toLocaleString('en')}`;
  const frame = (id: string, title: string, note: string): ChartFrame => ({
    ...{ id, title, note },
    unit: span.unit,
    starts: cut(starts),
  });
  const bars = (id: string, title: string, what: string, label: string, values: readonly number[]): Chart =>
    barChart(frame(id, title, `${what}; ${last(values)}`), { label, values: cut(values) });
  return [
    lineChart(
      frame(
        'sign-ins',
        finding(counts.sign_ins, SIGN_INS, span),
        `Successful sign-ins, ${last(counts.sign_ins)}${byPasskey(cut(counts.passkey_sign_ins))}, and failed attempts, ${last(counts.failures)}`,
      ),
      [
        { label: 'Sign-ins', values: cut(counts.sign_ins) },
        { label: 'Refused', values: cut(counts.failures) },
      ],
    ),
    bars(
      'active-users',
      findingOfPeak(cut(counts.active_users), cut(starts).map(timeOf(span)), USERS, span),
      `Users who signed in or used an app, each counted once ${span.unit === 'day' ? 'a day' : 'an hour'}`,
      'Users',
      counts.active_users,
    ),
    bars(
      'tokens',
      finding(counts.tokens_issued, TOKENS, span),
      'At sign-in and at each refresh',
      'Pairs',
      counts.tokens_issued,
    ),
    // Counted by day only.
    ...(span.unit === 'day' && cut(counts.pushes).some((count) => count > 0)
      ? [bars('pushes', finding(counts.pushes, PUSHES, span), 'Accepted for delivery', 'Notifications', counts.pushes)]
      : []),
  ];
}

/** The number of sign-ins by passkey as text; empty if there are none. */
function byPasskey(values: readonly number[]): string {
  const count = values.reduce((sum, value) => sum + value, 0);
  return count === 0 ? '' : ` (${count.toLocaleString('en')} with a passkey in all)`;
}

function timeOf({ unit }: Span) {
  return (start: string): string => `${unit === 'day' ? 'on' : 'at'} ${bucketWords(start, unit).full}`;
}
