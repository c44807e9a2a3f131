import { describe, expect, it } from '@jest/globals';
import { AggregatorRegistry, register } from 'prom-client';
import type { DataSource } from 'typeorm';
import { SystemClock } from '../../../../src/common/system-clock.js';
import { ClockSkew } from '../../../../src/database/notifications/clock-skew.js';
import type { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';

const NAME = 'identity_clock_skew_seconds';

describe('ClockSkew', () => {
  it('shows the skew of a host, not the sum over its processes', async () => {
    const dataSource = { query: () => Promise.resolve([{ now: Date.now() + 4_000 }]) } as unknown as DataSource;
    const listener = { onHeartbeat: () => undefined } as unknown as NotificationListener;
    await new ClockSkew(dataSource, listener, new SystemClock()).onModuleInit();
    const eight = await Promise.all(Array.from({ length: 8 }, () => register.getMetricsAsJSON()));
    const text = await AggregatorRegistry.aggregate(eight).getSingleMetricAsString(NAME);
    const shown = Number(new RegExp(`^${NAME} (\\S+)$`, 'm').exec(text)?.[1]);
    expect(Math.abs(shown + 4)).toBeLessThan(0.5);
  });
});
