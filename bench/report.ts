import type { Result } from './comparison.js';

/** Of a run, as the command line says. */
export interface Options {
  readonly rounds: number;
  /** Of counting, per contender and round. */
  readonly seconds: number;
  /** The folder where better-auth is installed. */
  readonly betterAuth?: string;
}

/** A ratio that a goal speaks of: `floor` must be reached, `headline` is what is wanted. */
export interface Goal {
  readonly what: string;
  readonly value: number;
  readonly floor: number;
  readonly headline: number;
  /** `least` for a ratio that should be high, `most` for a time or size that should be low. */
  readonly kind: 'least' | 'most';
}

export interface Section {
  readonly title: string;
  readonly results: readonly Result[];
  readonly goals: readonly Goal[];
}

/** Markdown, so that it can go into the README as it is. */
export function markdownOf({ title, results, goals }: Section): string {
  const lines = [`\n### ${title}\n`];
  if (results.length > 0) {
    lines.push('| | per second | p50 ms | p99 ms | CPU ms each | wrong |', '|---|---:|---:|---:|---|---:|');
    for (const { name, rate, p50, p99, cpu, wrong } of results) {
      const accounts = Object.entries(cpu).map(([account, ms]) => `${account} ${number(ms)}`);
      lines.push(`| ${name} | ${number(rate)} | ${number(p50)} | ${number(p99)} | ${accounts.join(', ')} | ${wrong} |`);
    }
    lines.push('');
  }
  for (const goal of goals) lines.push(`- ${sentence(goal)}`);
  return lines.join('\n');
}

function sentence({ what, value, floor, headline, kind }: Goal): string {
  const reached = (bound: number) => (kind === 'least' ? value >= bound : value <= bound);
  const verdict = reached(headline) ? 'reached' : reached(floor) ? 'floor reached, headline missed' : 'MISSED';
  const sign = kind === 'least' ? '≥' : '≤';
  const bounds = floor === headline ? `${sign} ${headline}` : `${sign} ${floor} → ${sign} ${headline}`;
  return `${what}: **${number(value)}** (goal ${bounds}): ${verdict}`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}
