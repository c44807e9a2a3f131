import { Injectable } from '@nestjs/common';
import { AppMaximum } from '../../../apps/changes/app-maximum.js';
import type { RequestContext } from '../../../common/request-context.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { ImportPlanner } from './import-planner.js';
import type { ImportPlanView } from './plan.view.js';
import { SubmittedDocuments } from '../document/submitted-documents.js';

/** Previews imports. */
@Injectable()
export class ImportPlansService {
  constructor(
    private readonly documents: SubmittedDocuments,
    private readonly tenants: TenantsService,
    private readonly planner: ImportPlanner,
    private readonly maximum: AppMaximum,
  ) {}

  /** @throws InvalidInput, InsufficientPermissions, TenantNotFound, BundleIdAlreadyExists, TooManyApps */
  async planApp(ctx: RequestContext, body: unknown): Promise<ImportPlanView> {
    const { document, tenantId, policy } = await this.documents.readApp(ctx, body);
    const tenant = await this.tenants.get(tenantId);
    await this.maximum.check(tenantId, 1);
    return this.planner.plan(ctx, document, policy, tenant);
  }

  /** @throws InvalidInput, InsufficientPermissions */
  async planTenant(ctx: RequestContext, body: unknown): Promise<ImportPlanView> {
    return this.planner.plan(ctx, await this.documents.readTenant(ctx, body), 'keep', null);
  }
}
