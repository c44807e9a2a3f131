import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { AppSearch } from './app-search.js';
import { SearchController } from './search.controller.js';
import { TenantSearch } from './tenant-search.js';

/** The search of the console. Each area provides its own source. */
@Module({
  imports: [ConsoleFrameModule, AdminModule, AppsModule, DiscoveryModule],
  controllers: [SearchController],
  providers: [AppSearch, TenantSearch],
})
export class SearchModule {}
