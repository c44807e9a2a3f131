import { Injectable } from '@nestjs/common';
import { counter } from '../common/metrics/process-metrics.js';

/**
 * Tenants with their own time series in each process. The first tenants with a failure get one, and all others share
 * `other`. Giving series to the tenants with the most failures instead would make series appear and disappear, and
 * counters that disappear give wrong rates.
 */
export const MAX_LABELED_TENANTS = 200;

const FAILURES = counter({
  name: 'identity_login_failures_total',
  help: 'Failed and refused sign-ins in the audit log, by tenant id',
  labelNames: ['tenant'],
});

/** Counts the failed and refused sign-ins of this process. */
@Injectable()
export class LoginFailures {
  private readonly known = new Set<string>();

  /**
   * @param tenantId null: no tenant, for example on the account page
   * @param failures the number of sign-ins that one entry is about
   */
  count(tenantId: string | null, failures = 1): void {
    FAILURES.inc({ tenant: tenantId === null ? 'none' : this.seriesOf(tenantId) }, failures);
  }

  private seriesOf(tenantId: string): string {
    if (this.known.size < MAX_LABELED_TENANTS) this.known.add(tenantId);
    return this.known.has(tenantId) ? tenantId : 'other';
  }
}
