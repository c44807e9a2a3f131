import { describe, expect, it } from '@jest/globals';
import { setupSteps } from '../../../src/console/overview/setup-steps.rules.js';
import { overviewTiles } from '../../../src/console/overview/tiles.rules.js';

const series = (before: number, now: number) => {
  const values = [99, ...Array<number>(7).fill(before), ...Array<number>(7).fill(now), 99];
  return {
    starts: values.map(() => ''),
    counts: {
      sign_ins: values,
      passkey_sign_ins: values,
      failures: values,
      active_users: values,
      tokens_issued: values,
      pushes: values,
    },
  };
};

describe('Tiles of the console’s overview', () => {
  it.each([
    [10, 10, '70', 'same as the week before'],
    [0, 3, '21', 'none the week before'],
    [10, 15, '105', '+50% from the week before'],
    [20, 5, '35', '−75% from the week before'],
    [1000, 1001, '7,007', 'about the same as the week before'],
  ])('with %d a day before and %d a day now say %s, %s', (before, now, value, change) => {
    expect(overviewTiles(series(before, now))[0]).toEqual({ label: 'Sign-ins', value, change });
  });

  it('show active users as the mean of the days, because a user counts on each of them', () => {
    expect(overviewTiles(series(3, 4))[2]).toMatchObject({ label: 'Active users a day', value: '4' });
  });
});

describe('Setup steps of the console’s overview', () => {
  const labels = (facts: Parameters<typeof setupSteps>[0]) => setupSteps(facts).map(({ label }) => label);

  it('begin with the first tenant for platform admins, whose own tenant does not count', () => {
    const [tenant, app] = setupSteps({ tenantCount: 0, isPlatformAdmin: true });
    expect([tenant, app]).toEqual([
      { label: 'Create a tenant', href: '/console/tenants/new', isDone: false },
      { label: 'Create an app', href: null, isDone: false },
    ]);
    const [done, next] = setupSteps({ tenantCount: 1, isPlatformAdmin: true });
    expect([done?.isDone, next?.href]).toEqual([true, '/console/apps/new']);
  });

  it('begin with the first app for tenant admins, and are none for app managers', () => {
    expect(labels({ tenantCount: 1, isPlatformAdmin: false })[0]).toBe('Create an app');
    expect(labels({ tenantCount: null, isPlatformAdmin: false })).toEqual([]);
  });
});
