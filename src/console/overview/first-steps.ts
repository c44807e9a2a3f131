import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import { BrowserBinding } from '../../auth/session/browser-binding.js';
import { DEMO_BUNDLE_ID, EXAMPLE_DATA_FORM } from '../../config/example-data.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import type { NewestApps } from './newest-apps.js';
import { setupSteps } from './setup-steps.rules.js';

const ONE = { page: 1, limit: 1 };

/** Number of tenants for the overview, and the checklist while there is no app. */
@Injectable()
export class FirstSteps {
  constructor(
    private readonly tenants: TenantReader,
    private readonly browser: BrowserBinding,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param apps the newest ones; the demo app of the embedded mode does not count */
  async read(
    { actor, listCtx, chosenTenantId }: ConsoleRequest,
    response: Response,
    apps: Awaited<ReturnType<NewestApps['list']>>,
  ) {
    const { platform, tenants: own } = actor.authority;
    const found = platform || own.size > 0 ? await this.tenants.listWithoutNumbers(listCtx, ONE) : null;
    const isPlatformAdmin = platform && !chosenTenantId;
    const hasOnlyDemo = apps.total === 1 && apps.rows[0]!.bundleId === DEMO_BUNDLE_ID;
    const isEmpty = apps.total === 0 || hasOnlyDemo;
    // Does not count the platform's own tenant and the tenant of the demo app.
    const notTheirs = (isPlatformAdmin ? 1 : 0) + (hasOnlyDemo ? 1 : 0);
    const tenantCount = found && Math.max(0, found.total - notTheirs);
    return {
      isPlatformAdmin,
      chosenTenant: chosenTenantId && (found?.tenants[0]?.name ?? null),
      steps: isEmpty ? setupSteps({ tenantCount, isPlatformAdmin }) : [],
      exampleData: isEmpty && isPlatformAdmin && this.settings.embedded ? this.exampleForm(response) : null,
    };
  }

  private exampleForm(response: Response) {
    const secret = this.browser.ensure(response.req, response);
    return {
      action: EXAMPLE_DATA_FORM.action,
      formToken: this.browser.formToken(secret, EXAMPLE_DATA_FORM.purpose),
    };
  }
}
