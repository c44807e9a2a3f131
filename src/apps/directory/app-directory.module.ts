import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { AppRowsModule } from '../app/app-rows.module.js';
import { AppCaches } from './app-caches.js';
import { AppDirectory } from './app-directory.js';
import { AppsService } from './apps.service.js';
import { LiveClients } from './live-clients.js';
import { LongLists } from './long-lists.js';
import { LogosInMails } from './logos-in-mails.js';

/** Finds apps: by id, from memory, and as a caller may see them. */
@Module({
  imports: [AppRowsModule, TenantsModule],
  providers: [AppCaches, AppDirectory, AppsService, LiveClients, LogosInMails, LongLists],
  exports: [AppCaches, AppDirectory, AppsService, LiveClients],
})
export class AppDirectoryModule {}
