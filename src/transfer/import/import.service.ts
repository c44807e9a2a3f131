import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/app-directory.js';
import { AppsService } from '../../apps/apps.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { canAdministerPlatform, canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Transactions } from '../../database/transactions.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { type BundleIdPolicy } from './bundle-ids.js';
import { DocumentReader } from './document-reader.js';
import type { ImportDocument } from './import-document.js';
import { ImportLogos } from './import-logos.js';
import { ImportPlanner } from './import-planner.js';
import { ImportWriter } from './import-writer.js';
import {
  importedAppView,
  type ImportedAppView,
  importedTenantView,
  type ImportedTenantView,
  importedUsersView,
} from './import.view.js';
import { type ImportProgress, NO_PROGRESS } from './import-progress.js';
import type { ImportPlanView } from './plan.view.js';

/** Documents on their way in: read, judged, planned, or done in one transaction. */
@Injectable()
export class ImportService {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly logos: ImportLogos,
    private readonly planner: ImportPlanner,
    private readonly writer: ImportWriter,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws InvalidInput, InsufficientPermissions, TenantNotFound, BundleIdAlreadyExists */
  async planApp(ctx: RequestContext, body: unknown): Promise<ImportPlanView> {
    const { document, tenantId, policy } = await this.readApp(ctx, body);
    await this.tenants.get(tenantId);
    return this.planner.plan(ctx, document, policy);
  }

  /** @throws InvalidInput, InsufficientPermissions */
  async planTenant(ctx: RequestContext, body: unknown): Promise<ImportPlanView> {
    return this.planner.plan(ctx, await this.readTenant(ctx, body), 'keep');
  }

  /** A new app in a tenant that is there. @throws InvalidInput, InsufficientPermissions, TenantNotFound, BundleIdAlreadyExists */
  async importApp(ctx: RequestContext, body: unknown): Promise<ImportedAppView> {
    const { document, tenantId, policy } = await this.readApp(ctx, body);
    const { apps, people } = await this.transactions.run(async (tx) => {
      const tenant = await this.tenants.getForUpdate(tx, tenantId);
      return this.writer.write(tx, ctx, tenant, document, policy);
    });
    this.directory.forget();
    return { ...importedAppView(apps[0]!, this.settings.baseUrl), users: importedUsersView(people) };
  }

  /** A new tenant with its apps and a Console of its own. @throws InvalidInput, InsufficientPermissions */
  async importTenant(
    ctx: RequestContext,
    body: unknown,
    watch: ImportProgress = NO_PROGRESS,
  ): Promise<ImportedTenantView> {
    const document = await this.readTenant(ctx, body);
    const view = await this.transactions.run(async (tx) => {
      const tenant = await this.createTenant(tx, document);
      const console = await this.apps.createConsole(tx, tenant);
      const written = await this.writer.write(tx, ctx, tenant, document, 'keep', watch);
      await this.audit.record(tx, ctx, 'tenant.imported', {
        tenantId: tenant.id,
        target: { type: 'tenant', id: tenant.id },
        metadata: { name: tenant.name, slug: tenant.slug, apps: written.apps.length, ...written.counts },
      });
      const imported = importedTenantView({ tenant, consoleAppId: console.id, ...written }, this.settings.baseUrl);
      await watch.inSameTransaction(tx, imported);
      return imported;
    });
    this.directory.forget();
    return view;
  }

  private createTenant(tx: EntityManager, { tenant }: ImportDocument): Promise<Tenant> {
    const input = tenant!;
    return this.tenants.create(tx, {
      name: input.name,
      preferredSlug: input.slug,
      isActive: input.is_active,
      minPasswordLength: input.min_password_length,
      weakPasswords: input.weak_passwords,
      require2fa: input.require_2fa,
      supportEmail: input.support_email,
    });
  }

  private async readApp(
    ctx: RequestContext,
    body: unknown,
  ): Promise<{ document: ImportDocument; tenantId: string; policy: BundleIdPolicy }> {
    const { document, input } = await DocumentReader.readApp(body, this.settings);
    if (!canAdministerTenant(ctx.actor, input.tenant_id)) throw new InsufficientPermissions();
    checkCredentials(ctx, document);
    const ready = await this.logos.normalize(document, () => ['body', 'app']);
    const policy = input.preserve_bundle_id === true ? 'insist' : 'renew';
    return { document: ready, tenantId: input.tenant_id, policy };
  }

  private async readTenant(ctx: RequestContext, body: unknown): Promise<ImportDocument> {
    const document = await DocumentReader.readTenant(body, this.settings);
    if (!canAdministerPlatform(ctx.actor)) throw new InsufficientPermissions();
    checkCredentials(ctx, document);
    return this.logos.normalize(document, (index) => ['body', 'apps', index]);
  }
}

/** Who brings the hash of a password can sign in as its owner: platform admins alone. */
function checkCredentials(ctx: RequestContext, { accounts }: ImportDocument): void {
  if (canAdministerPlatform(ctx.actor)) return;
  for (const account of accounts.values()) if (account.passwordHash !== null) throw new InsufficientPermissions();
}
