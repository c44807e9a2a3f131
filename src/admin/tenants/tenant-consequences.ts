import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { ConsentRevocation } from '../../tokens/grants/revocation/consent-revocation.service.js';

/** Applies what else follows from a change of a tenant's settings, in the same transaction. */
@Injectable()
export class TenantConsequences {
  constructor(
    private readonly apps: AppsService,
    private readonly consents: ConsentRevocation,
  ) {}

  /** @returns metadata for the audit entry of the change */
  async apply(tx: EntityManager, before: Tenant, after: Tenant): Promise<{ readonly ended_consents?: number }> {
    if (after.isActive !== before.isActive) await this.apps.switchWithTenant(tx, after.id, after.isActive);
    const ended = await this.consents.revokeAll(tx, await this.apps.noLongerAccepted(tx, before, after));
    return ended === 0 ? {} : { ended_consents: ended };
  }
}
