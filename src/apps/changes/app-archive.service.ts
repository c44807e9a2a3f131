import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { AppChanges } from './app-changes.js';
import { AppMaximum } from './app-maximum.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import type { Prediction } from '../comparisons/change-comparison.entity.js';
import { changeable } from '../settings/changeable-app.js';

/** Callers who may switch an app off may archive it: see `judgeUpdate`. */
const SWITCH_OFF = { is_active: false } as const;

/**
 * Archives apps that are no longer needed. The row remains, because audit entries and tokens refer to it. An archived
 * app is switched off (a CHECK of the table), so sign-in and tokens need no rule for archived apps
 * (docs/decisions/0048).
 */
@Injectable()
export class AppArchiveService {
  constructor(
    private readonly apps: AppsRepository,
    private readonly tenants: TenantsService,
    private readonly maximum: AppMaximum,
    private readonly changes: AppChanges,
  ) {}

  /**
   * Switches the app off as well. Does nothing if it is archived already. @throws AppNotFound, InsufficientPermissions
   */
  archive(ctx: RequestContext, id: string, prediction?: Prediction): Promise<App> {
    return this.changes.run({ ctx, appId: id }, async (tx) => {
      const app = changeable(ctx, await this.apps.findForUpdate(tx, id), SWITCH_OFF);
      if (app.archivedAt) return app;
      const result = await this.apps.archive(tx, id);
      await this.changes.recordChange(tx, ctx, 'app.archived', { before: app, after: result }, prediction);
      return result;
    });
  }

  /**
   * The app stays switched off. Does nothing if it is not archived. @throws AppNotFound, InsufficientPermissions,
   * TooManyApps
   */
  restore(ctx: RequestContext, id: string): Promise<App> {
    return this.changes.run({ ctx, appId: id }, async (tx) => {
      const seen = await this.apps.find(id, tx);
      if (seen) await this.tenants.getForUpdate(tx, seen.tenantId);
      const app = changeable(ctx, await this.apps.findForUpdate(tx, id), SWITCH_OFF);
      if (!app.archivedAt) return app;
      if (app.origin === 'operator') await this.maximum.check(app.tenantId, 1, tx);
      const result = await this.apps.update(tx, id, { archivedAt: null });
      await this.changes.record(tx, ctx, 'app.restored', result);
      return result;
    });
  }
}
