import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { AppRowsModule } from '../app/app-rows.module.js';
import { ComparisonsModule } from '../comparisons/change-comparisons.module.js';
import { AppDirectoryModule } from '../directory/app-directory.module.js';
import { LogosModule } from '../logo/logos.module.js';
import { SubmittedConfig } from '../settings/submitted-config.js';
import { AppArchiveController } from './app-archive.controller.js';
import { AppArchiveService } from './app-archive.service.js';
import { AppChanges } from './app-changes.js';
import { AppCreationService } from './app-creation.service.js';
import { AppMaximum } from './app-maximum.js';
import { ChangeLimits } from './change-limits.js';
import { AppUpdateService } from './app-update.service.js';
import { AppsController } from './apps.controller.js';
import { NewApps } from './new-apps.js';
import { NewTenants } from './new-tenants.js';
import { SecretRegenerationService } from './secret-regeneration.service.js';

/**
 * Changes of apps by administrators: creation, settings, secrets, archive. Each change is one transaction of
 * `AppChanges`.
 */
@Module({
  imports: [AppDirectoryModule, AppRowsModule, ComparisonsModule, LogosModule, TenantsModule],
  controllers: [AppsController, AppArchiveController],
  providers: [
    AppArchiveService,
    AppChanges,
    AppCreationService,
    AppMaximum,
    AppUpdateService,
    ChangeLimits,
    NewApps,
    NewTenants,
    SecretRegenerationService,
    SubmittedConfig,
  ],
  exports: [
    AppArchiveService,
    AppChanges,
    AppCreationService,
    AppMaximum,
    AppUpdateService,
    ChangeLimits,
    NewApps,
    NewTenants,
    SecretRegenerationService,
  ],
})
export class AppChangesModule {}
