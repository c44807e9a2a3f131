import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppMaximum } from '../../../apps/changes/app-maximum.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { CallerAuthorities } from '../../../auth/access/caller-authorities.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { TenantsService } from '../../../tenants/tenants.service.js';

/**
 * Checks that are repeated after everything is written, because sending and writing it may have taken minutes. The
 * tenant's row is locked only from here on, so that its admins can be changed and it can be switched off in the
 * meantime.
 */
@Injectable()
export class ImportEnding {
  constructor(
    private readonly tenants: TenantsService,
    private readonly authorities: CallerAuthorities,
    private readonly apps: AppsService,
    private readonly maximum: AppMaximum,
  ) {}

  /**
   * @param begunWith the tenant when the import began
   * @throws InsufficientPermissions, TooManyApps, which rolls the import back
   */
  async check(tx: EntityManager, ctx: RequestContext, begunWith: Tenant): Promise<void> {
    const tenant = await this.tenants.getForUpdate(tx, begunWith.id);
    await this.authorities.checkUnchanged(ctx, tx);
    await this.maximum.check(tenant.id, 0, tx);
    if (tenant.isActive !== begunWith.isActive) await this.apps.switchWithTenant(tx, tenant.id, tenant.isActive);
  }
}
