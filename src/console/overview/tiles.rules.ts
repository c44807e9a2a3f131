import type { StatisticsSeries } from '../../operations/statistics/statistics.service.js';

const WEEK = 7;

/**
 * A figure of the last seven complete days, with that of the seven days before. Today is not complete and would look
 * like a decrease.
 */
export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly change: string;
}

export function overviewTiles({ counts }: StatisticsSeries): Tile[] {
  return [
    tile('Sign-ins', counts.sign_ins, sum),
    tile('Refused sign-ins', counts.failures, sum),
    tile('Active users a day', counts.active_users, mean),
    tile('Notifications', counts.pushes, sum),
  ];
}

function tile(label: string, days: readonly number[], of: (days: readonly number[]) => number): Tile {
  const whole = days.slice(0, -1);
  const [now, before] = [of(whole.slice(-WEEK)), of(whole.slice(-2 * WEEK, -WEEK))];
  return { label, value: now.toLocaleString('en'), change: changeOf(now, before) };
}

function changeOf(now: number, before: number): string {
  if (now === before) return 'same as the week before';
  if (before === 0) return 'none the week before';
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) return 'about the same as the week before';
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en')}% from the week before`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.round(sum(values) / values.length);
}
