import { describe, expect, it } from '@jest/globals';
import { chartOf } from '../../../bench/chart.js';
import type { Result } from '../../../bench/comparison.js';

const result = (name: string, rate: number, cpu: Record<string, number> = { service: 1 }): Result => ({
  name,
  rate,
  p50: 1,
  p99: 2,
  cpu,
  wrong: 0,
});
const section = (title: string, results: Result[]) => ({ title, results, goals: [] });

describe('Chart of a benchmark', () => {
  const rates = section('tokens', [
    result('RSA <2048>', 4000, { limit: 0.3 }),
    result('oidc-provider, memory', 1000),
    result('identity broker', 2000),
  ]);

  it('has a bar for each contender, to scale within the operation, and its rate', () => {
    const picture = chartOf([rates], '2026-11-25, 2 cores');
    const bars = [...picture.matchAll(/<rect class="(\w+)" x="250" y="\d+" width="([\d.]+)"/g)];
    expect(bars.map(([, kind, width]) => [kind, Number(width)])).toEqual([
      ['limit', 420],
      ['peer', 105],
      ['ours', 210],
    ]);
    expect(picture).toContain('RSA &lt;2048&gt;');
    expect(picture).toMatch(/>4,000<[\s\S]*>1,000<[\s\S]*>2,000</);
    expect(picture).toContain('2026-11-25, 2 cores');
  });

  it('leaves out operations that have nothing beside them', () => {
    const alone = section('start', [result('identity broker, embedded', 1)]);
    const picture = chartOf([alone, section('memory', []), rates], '');
    expect(picture).not.toMatch(/start|memory under/);
    expect(picture.match(/class="title"/g)).toHaveLength(2);
  });
});
