import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { TenantInFull } from '../../admin/tenants/tenant.view.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { confirmFirst } from '../frame/requests/console.errors.js';
import { pagerOf, readChosenPage } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { SettingChanges } from '../previews/setting-changes.js';
import { type TenantFormValues, weakPasswordOptions } from './tenant-form.js';
import { tenantHead, tenantHome, tenantNavigation } from './tenant-navigation.js';

const APP_COLUMNS = [
  column('Name and bundle ID'),
  column('State'),
  column('App ID', { className: 'col-id' }),
  column('Actions'),
];

/** The pages of one tenant that show something, the form of its settings included; not those that ask for confirmation. */
@Injectable()
export class TenantViews {
  constructor(
    private readonly appList: AppsService,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
    private readonly changes: SettingChanges,
  ) {}

  async settings(
    consoleRequest: ConsoleRequest,
    response: Response,
    full: TenantInFull,
    values: TenantFormValues,
    errors: readonly FormError[],
  ): Promise<void> {
    const { tenant, consoleAppId, appCount, userCount } = full;
    const { area, tenantId, crumbs, tabs } = tenantNavigation(consoleRequest, full, 'Settings');
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/settings',
      title: tenant.name,
      area,
      tenantId,
      crumbs,
      status: errors.length > 0 ? 422 : 200,
      model: {
        errors,
        tabs,
        tenant: tenantHead(full, consoleRequest),
        consoleAppId,
        appCount,
        userCount,
        created: timeInWords(tenant.createdAt, this.clock.now()),
        mayRename: consoleRequest.actor.authority.platform && !tenant.isPlatform,
        values,
        settingChanges: await this.changes.of(consoleRequest.ctx, tenant.id, null),
        mayWait: !consoleRequest.impersonation,
        confirmUrl: confirmFirst(consoleRequest.ctx, tenantHome(consoleRequest, tenant.id)),
        weakPasswords: weakPasswordOptions(values.weak_passwords),
      },
    });
  }

  async apps(consoleRequest: ConsoleRequest, request: Request, response: Response, full: TenantInFull): Promise<void> {
    const { area, tenantId, crumbs, tabs } = tenantNavigation(consoleRequest, full, 'Apps');
    const page = readChosenPage(request.query);
    const { apps, total } = await this.appList.list(consoleRequest.ctx, { tenantId: full.tenant.id, ...page });
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/apps',
      title: 'Apps',
      area,
      tenantId,
      crumbs,
      model: {
        tabs,
        tenant: tenantHead(full, consoleRequest),
        columns: APP_COLUMNS,
        apps: apps.map(({ id, name, bundleId, isActive, isConsoleApp }) => ({
          id,
          name,
          bundleId: isConsoleApp ? 'System app' : bundleId,
          isActive,
          isConsoleApp,
          actUrl:
            isConsoleApp || consoleRequest.impersonation || !full.tenant.isActive
              ? null
              : `/console/impersonate-app/${id}`,
        })),
        total,
        pager: pagerOf(request, { ...page, total, count: apps.length }),
      },
    });
  }

  async data(consoleRequest: ConsoleRequest, response: Response, full: TenantInFull): Promise<void> {
    const { area, tenantId, crumbs, tabs } = tenantNavigation(consoleRequest, full, 'Data');
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/data',
      title: 'Data',
      area,
      tenantId,
      crumbs,
      model: { tabs, tenant: tenantHead(full, consoleRequest), mayImport: consoleRequest.actor.authority.platform },
    });
  }
}
