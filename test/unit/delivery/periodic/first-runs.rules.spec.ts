import { describe, expect, it } from '@jest/globals';
import { firstRuns } from '../../../../src/delivery/periodic/first-runs.rules.js';

const job = (name: string, everySeconds: number, isLong = false) => ({ name, everySeconds, isLong });

describe('First runs of periodic jobs', () => {
  it('come soon after the start, and those of long jobs one after the other, by their names', () => {
    const jobs = [job('seal', 2), job('c', 3_600, true), job('changes', 60), job('a', 3_600, true), job('b', 30, true)];
    expect([...firstRuns(jobs)].map(([{ name }, seconds]) => [name, seconds])).toEqual([
      ['seal', 2],
      ['c', 45],
      ['changes', 5],
      ['a', 5],
      ['b', 25],
    ]);
  });

  it('are not later than the interval of the job', () => {
    const [first, last] = [job('a', 10, true), job('b', 10, true)];
    expect(firstRuns([first, last]).get(last)).toBe(10);
  });
});
