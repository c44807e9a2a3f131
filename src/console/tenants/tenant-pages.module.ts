import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TransferModule } from '../../transfer/transfer.module.js';
import { TaskRunsModule } from '../../operators/tasks/task-runs.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ConsolePreviewsModule } from '../previews/console-previews.module.js';
import { ConsoleExportsController } from './exports.controller.js';
import { TenantAdminRemovalController } from './tenant-admin-removal.controller.js';
import { TenantAdminPagesController } from './tenant-admins.controller.js';
import { TenantChoice } from './tenant-choice.js';
import { TenantChoiceController } from './tenant-choice.controller.js';
import { TenantController } from './tenant.controller.js';
import { TenantSettingsController } from './tenant-settings.controller.js';
import { TenantDangerController } from './tenant-danger.controller.js';
import { TenantImportController } from './import/tenant-import.controller.js';
import { TenantsListController } from './tenants-list.controller.js';
import { TenantViews } from './tenant-views.js';

/** The pages of tenants. Owns no table: they call the services of the admin API. */
@Module({
  imports: [
    ConsoleFrameModule,
    ConsolePreviewsModule,
    AdminModule,
    AppsModule,
    TaskRunsModule,
    TenantsModule,
    TransferModule,
  ],
  // The order matters: fixed paths must come before those with the tenant's id.
  controllers: [
    TenantChoiceController,
    TenantsListController,
    TenantImportController,
    TenantController,
    TenantSettingsController,
    TenantAdminPagesController,
    TenantAdminRemovalController,
    TenantDangerController,
    ConsoleExportsController,
  ],
  providers: [TenantChoice, TenantViews],
})
export class TenantPagesModule {}
