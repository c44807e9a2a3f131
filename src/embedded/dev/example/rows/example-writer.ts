import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppChanges } from '../../../../apps/changes/app-changes.js';
import { picturesIn } from '../../../../apps/settings/app-pictures.js';
import { DEFAULT_BRANDING, DEFAULT_CONFIG } from '../../../../apps/app/app-config.js';
import { NewApps } from '../../../../apps/changes/new-apps.js';
import { NewTenants } from '../../../../apps/changes/new-tenants.js';
import type { MailOrigin } from '../../../../enrollment/notices/account-mails.js';
import { ExampleUsers } from './example-users.js';
import { ExampleWebhooks } from './example-webhooks.js';
import { EXAMPLE_TENANTS, type ExampleTenant } from '../plan/example-tenants.js';

/** An app of the example, with its tenant and the tenant's Console app. */
export interface WrittenApp extends MailOrigin {
  readonly id: string;
  readonly tenantId: string;
  readonly consoleAppId: string;
}

/** Writes tenants, apps, users and their history in one transaction. */
@Injectable()
export class ExampleWriter {
  constructor(
    private readonly tenants: NewTenants,
    private readonly apps: NewApps,
    private readonly webhooks: ExampleWebhooks,
    private readonly users: ExampleUsers,
    private readonly changes: AppChanges,
  ) {}

  /**
   * @param now all data is older than this
   * @throws BundleIdAlreadyExists
   */
  async write(now: Date): Promise<void> {
    await this.changes.create(async (tx) => {
      const apps = new Map<string, WrittenApp>();
      for (const each of EXAMPLE_TENANTS)
        for (const [bundleId, app] of await this.createTenant(tx, each)) apps.set(bundleId, app);
      await this.webhooks.write(tx, apps, now);
      await this.users.write(tx, apps, now);
    });
  }

  private async createTenant(
    tx: EntityManager,
    { name, slug, supportEmail, apps }: ExampleTenant,
  ): Promise<[string, WrittenApp][]> {
    const { tenant, console } = await this.tenants.create(tx, { name, preferredSlug: slug, supportEmail });
    const made: [string, WrittenApp][] = [];
    for (const { name: appName, bundleId, policy, color, config } of apps) {
      const { app } = await this.apps.createImported(tx, {
        tenantId: tenant.id,
        name: appName,
        bundleId,
        registrationPolicy: policy,
        isActive: true,
        offWithTenant: false,
        config: { ...DEFAULT_CONFIG, ...config },
        branding: { ...DEFAULT_BRANDING, primary_color: color },
        ...picturesIn(undefined),
      });
      made.push([bundleId, { app, tenant, id: app.id, tenantId: tenant.id, consoleAppId: console.id }]);
    }
    return made;
  }
}
