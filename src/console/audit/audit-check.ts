import { Injectable } from '@nestjs/common';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions, ServiceUnavailable } from '../../common/http/http.refusals.js';
import { isUuid } from '../../common/validation/fields.js';
import { AuditVerifier } from '../../operations/audit-integrity/audit-verifier.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';

/** A tenant whose audit log the operator can verify. */
export interface CheckableTenant {
  readonly id: string;
  readonly name: string;
}

/**
 * Verifies a tenant's audit log, and reports the result as a text. Reads the log from its first entry, one log at a
 * time.
 */
@Injectable()
export class AuditCheck {
  private isUnderWay = false;

  constructor(
    private readonly verifier: AuditVerifier,
    private readonly tenants: TenantsService,
  ) {}

  /** The tenant in the filter, otherwise the chosen or only one. */
  async offer({ actor, tenantId }: ConsoleRequest, ofFilter: string | undefined): Promise<CheckableTenant | null> {
    const asked = ofFilter ?? tenantId;
    const tenant = asked && canAdministerTenant(actor, asked) ? await this.tenants.find(asked) : null;
    return tenant && { id: tenant.id, name: tenant.name };
  }

  /** @throws InsufficientPermissions, TenantNotFound, ServiceUnavailable */
  async run(
    { actor }: ConsoleRequest,
    asked: string | undefined,
  ): Promise<{ tenantId: string; isWhole: boolean; words: string }> {
    const tenantId = isUuid(asked) ? asked.toLowerCase() : null;
    if (!tenantId || !canAdministerTenant(actor, tenantId)) throw new InsufficientPermissions();
    const { name } = await this.tenants.get(tenantId);
    if (this.isUnderWay) throw new ServiceUnavailable('Another audit log is being verified', 10);
    this.isUnderWay = true;
    try {
      const { entries, unsigned, fault } = await this.verifier.verify(tenantId);
      const count = (value: number) => value.toLocaleString('en');
      const words = fault
        ? `The audit log of ${name} failed verification at entry ${count(fault.seq)}: ${fault.what}. Contact the operator of this service.`
        : `The audit log of ${name} is intact: ${count(entries)} entries in order, ${count(entries - unsigned)} of them signed.`;
      return { tenantId, isWhole: !fault, words };
    } finally {
      this.isUnderWay = false;
    }
  }
}
