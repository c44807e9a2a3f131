import { describe, expect, it } from '@jest/globals';
import { measureEach } from '../../../bench/measure-each.js';

describe('Benchmark', () => {
  it('reports an operation that fails and one that never ends, and measures the others', async () => {
    const written: string[] = [];
    const operations: Record<string, () => Promise<never>> = {
      broken: () => Promise.reject(new Error('the peer does not answer')),
      endless: () => new Promise(() => undefined),
    };
    const measure = (name: string) => operations[name]?.() ?? Promise.resolve({ title: name, results: [], goals: [] });
    const names = ['first', 'broken', 'endless', 'last'];
    const { sections, failed } = await measureEach(names, measure, 50, (text) => void written.push(text.trim()));
    expect(failed).toEqual(['broken', 'endless']);
    expect(sections.map(({ title }) => title)).toEqual(['first', 'last']);
    expect(written).toEqual([
      '### first',
      '### broken\n\nFailed: Error: the peer does not answer',
      '### endless\n\nFailed: Error: endless: nothing within 0.05 s',
      '### last',
    ]);
  });
});
