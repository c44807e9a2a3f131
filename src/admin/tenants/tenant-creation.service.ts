import { Injectable } from '@nestjs/common';
import { NewTenants } from '../../apps/changes/new-tenants.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { tenantColumns } from '../../tenants/tenant-settings.js';
import { TenantAdminNaming } from '../tenant-admins/tenant-admin-naming.js';
import { tenantSubject } from './tenant-audit-subject.js';
import type { TenantCreate } from './tenant.dto.js';
import { TenantReader } from './tenant-reader.service.js';
import type { TenantInFull } from './tenant.view.js';

/** Creates tenants, for platform admins. */
@Injectable()
export class TenantCreationService {
  constructor(
    private readonly newTenants: NewTenants,
    private readonly naming: TenantAdminNaming,
    private readonly reader: TenantReader,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates the tenant with its Console app and, if one is given, its first admin, in one transaction. @throws
   * SlugAlreadyExists, ReauthenticationRequired if it has a first admin
   */
  async create(ctx: RequestContext, input: TenantCreate): Promise<TenantInFull> {
    const tenant = await this.transactions.run(async (tx) => {
      const { tenant: made, console } = await this.newTenants.create(tx, { ...tenantColumns(input), name: input.name });
      await this.audit.record(tx, ctx, 'tenant.created', tenantSubject(made, { name: made.name, slug: made.slug }));
      if (input.admin_email !== undefined) await this.naming.name(tx, ctx, made, console, { email: input.admin_email });
      return made;
    });
    return this.reader.complete(tenant);
  }
}
