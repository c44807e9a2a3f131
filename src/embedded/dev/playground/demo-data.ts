import { Inject, Injectable } from '@nestjs/common';
import { TenantCreationService } from '../../../admin/tenants/tenant-creation.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AppCreationService } from '../../../apps/changes/app-creation.service.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { systemContext } from '../../../common/request-context.js';
import { DEMO_BUNDLE_ID } from '../../../config/example-data.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';

/**
 * The demo tenant and app, whose redirect URIs are the playground and the push demo. Created at the first start and
 * then kept.
 */
@Injectable()
export class DemoData {
  constructor(
    private readonly tenants: TenantCreationService,
    private readonly apps: AppsService,
    private readonly creation: AppCreationService,
    private readonly updates: AppUpdateService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get redirectUri(): string {
    return `${this.settings.baseUrl}/dev/playground`;
  }

  get pushRedirectUri(): string {
    return `${this.settings.baseUrl}/dev/push-demo`;
  }

  /** Returns the demo app, with redirect URIs for the current BASE_URL. */
  async ensureApp(): Promise<App> {
    const ctx = systemContext('demo');
    const app = await this.apps.findByBundleId(DEMO_BUNDLE_ID);
    if (!app) return this.create();
    const { redirect_uris } = app.config;
    const missing = this.redirectUris.filter((uri) => !redirect_uris.includes(uri));
    if (missing.length === 0) return app;
    return this.updates.update(ctx, app.id, { config: { redirect_uris: [...redirect_uris, ...missing] } });
  }

  private get redirectUris(): string[] {
    return [this.redirectUri, this.pushRedirectUri];
  }

  private async create(): Promise<App> {
    const ctx = systemContext('demo');
    const { tenant } = await this.tenants.create(ctx, { name: 'Demo' });
    const { app } = await this.creation.create(ctx, {
      name: 'Demo app',
      tenant_id: tenant.id,
      bundle_id: DEMO_BUNDLE_ID,
      registration_policy: 'open',
      config: {
        redirect_uris: this.redirectUris,
        allowed_providers: ['password', 'magic_link', 'passkey', 'google', 'github'],
      },
    });
    return app;
  }
}
