import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../src/common/system-clock.js';

const HOUR_MS = 3_600_000;
const realNow = Date.now;

// F10
describe('SystemClock', () => {
  afterEach(() => {
    Date.now = realNow;
  });

  it('shows the machine’s time until it is set', () => {
    expect(Math.abs(new SystemClock().now().getTime() - Date.now())).toBeLessThan(1_000);
  });

  it('does not jump with the machine’s clock', () => {
    const clock = new SystemClock();
    const before = clock.now().getTime();
    Date.now = () => realNow() + HOUR_MS;
    expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(0);
    expect(clock.now().getTime() - before).toBeLessThan(60_000);
  });

  it('counts on from the moment at which it was read', () => {
    const clock = new SystemClock();
    clock.set(1_000_000_000_000, performance.now() - 5_000);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(1_000_000_005_000);
    expect(clock.now().getTime()).toBeLessThan(1_000_000_065_000);
  });
});
