import { describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { LoginFailures, MAX_LABELED_TENANTS } from '../../../src/audit/login-failures.js';

const tenant = (place: number): string => `tenant-${place}`;

async function failures(): Promise<Record<string, number>> {
  const { values } = await register.getSingleMetric('identity_login_failures_total')!.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels['tenant']), value]));
}

describe('Login failures by tenant', () => {
  it('get a series for each of the first tenants, and one for all others', async () => {
    const loginFailures = new LoginFailures();
    for (let place = 0; place < MAX_LABELED_TENANTS + 3; place++) loginFailures.count(tenant(place));
    loginFailures.count(tenant(0));
    loginFailures.count(null, 4);
    const counted = await failures();
    expect(Object.keys(counted)).toHaveLength(MAX_LABELED_TENANTS + 2);
    expect([counted[tenant(0)], counted[tenant(MAX_LABELED_TENANTS)], counted['other'], counted['none']]).toEqual([
      2,
      undefined,
      3,
      4,
    ]);
  });
});
