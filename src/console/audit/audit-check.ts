import { Injectable } from '@nestjs/common';
import { canAdministerTenant } from '../../common/actor.js';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { limitOfTenants, limitsOf } from '../../common/concurrency/caller-limits.js';
import { ConcurrencyLimiter } from '../../common/concurrency/concurrency-limiter.js';
import { InsufficientPermissions, ServiceUnavailable } from '../../common/http/http.refusals.js';
import { isUuid } from '../../common/validation/fields.js';
import { AuditVerifier } from '../../operations/audit-integrity/audit-verifier.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';

/** Logs of one tenant that are verified at a time, and logs that platform admins verify. */
const MAX_CHECKS_PER_TENANT = 1;
/** Batches of entries of all logs. One is for platform admins, and tenants take turns for the others. */
const BATCHES_AT_ONCE = 3;

/** A tenant whose audit log the operator can verify. */
export interface CheckableTenant {
  readonly id: string;
  readonly name: string;
}

/** Verifies a tenant's audit log from its first entry, and reports the result as a text. */
@Injectable()
export class AuditCheck {
  private readonly verifications = new Semaphore(Number.POSITIVE_INFINITY);
  private readonly batches = new ConcurrencyLimiter(BATCHES_AT_ONCE);

  constructor(
    private readonly verifier: AuditVerifier,
    private readonly tenants: TenantsService,
  ) {}

  /** The tenant in the filter, otherwise the chosen or only one. */
  async offer({ actor, tenantId }: ConsoleRequest, ofFilter: string | undefined): Promise<CheckableTenant | null> {
    const requested = ofFilter ?? tenantId;
    const tenant = requested && canAdministerTenant(actor, requested) ? await this.tenants.find(requested) : null;
    return tenant && { id: tenant.id, name: tenant.name };
  }

  /**
   * @param closing aborted when the client has disconnected, which ends the verification
   * @throws InsufficientPermissions, TenantNotFound, ServiceUnavailable, ClientGone
   */
  async run(
    { actor }: ConsoleRequest,
    requested: string | undefined,
    closing: AbortSignal,
  ): Promise<{ tenantId: string; isWhole: boolean; words: string }> {
    const tenantId = isUuid(requested) ? requested.toLowerCase() : null;
    if (!tenantId || !canAdministerTenant(actor, tenantId)) throw new InsufficientPermissions();
    const { name } = await this.tenants.get(tenantId);
    const limits = limitsOf(actor, tenantId, MAX_CHECKS_PER_TENANT, null);
    const release = this.verifications.tryAcquire(limits);
    if (!release) throw new ServiceUnavailable('The audit log is already being verified', 10);
    const options = { limits: [[...limits, ...limitOfTenants(actor, BATCHES_AT_ONCE - 1)]], signal: closing };
    try {
      const { entries, unsigned, fault } = await this.verifier.verify(tenantId, (work) =>
        this.batches.run(work, options),
      );
      const count = (value: number) => value.toLocaleString('en');
      const words = fault
        ? `The audit log of ${name} failed verification at entry ${count(fault.seq)}: ${fault.what}. Contact the operator of this service.`
        : `The audit log of ${name} is intact: ${count(entries)} entries in order, ${count(entries - unsigned)} of them signed.`;
      return { tenantId, isWhole: !fault, words };
    } finally {
      release();
    }
  }
}
