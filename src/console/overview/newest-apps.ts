import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { TenantNames } from '../frame/requests/tenant-names.js';

const SHOWN = 5;

/** The newest apps except for Console apps, and the number of apps. */
@Injectable()
export class NewestApps {
  constructor(
    private readonly apps: AppsService,
    private readonly names: TenantNames,
  ) {}

  async list({ listCtx }: ConsoleRequest) {
    const { apps, total } = await this.apps.list(listCtx, { withoutConsole: true, page: 1, limit: SHOWN });
    const names = await this.names.of(apps.map(({ tenantId }) => tenantId));
    const rows = apps.map(({ id, name, bundleId, isActive, tenantId }) => ({
      id,
      name,
      bundleId,
      isActive,
      tenantName: names.get(tenantId) ?? '',
    }));
    return { rows, total };
  }
}
