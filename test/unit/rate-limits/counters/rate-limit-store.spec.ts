import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../../src/common/system-clock.js';
import type { Settings } from '../../../../src/config/settings.js';
import { RateLimitStore } from '../../../../src/rate-limits/counters/rate-limit-store.js';
import { rateLimitRules } from '../../../../src/rate-limits/counters/rate-limit.rules.js';

describe('Counter of a limit', () => {
  const rule = rateLimitRules({ enabled: true, overrides: {} }).code_failures;
  const store = new RateLimitStore({ redisUrl: null } as Settings, new SystemClock());

  it('is one less after a hit was taken back', async () => {
    for (const _ of [1, 2]) await store.hit('code_failures', rule, 'a');
    await store.takeBack('code_failures', rule, 'a', null);
    expect(await store.look('code_failures', rule, 'a')).toMatchObject({ count: 1 });
  });

  it('is not begun below zero if the window of a hit that is taken back is over', async () => {
    await store.takeBack('code_failures', rule, 'b', null);
    expect(await store.look('code_failures', rule, 'b')).toBeNull();
    expect(await store.hit('code_failures', rule, 'b')).toMatchObject({ count: 1 });
  });
});
