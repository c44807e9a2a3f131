import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ConsoleAccountController } from './account-pages.controller.js';

/** The operator's own page in the console. Owns no table. */
@Module({ imports: [ConsoleFrameModule, AppsModule, TenantsModule], controllers: [ConsoleAccountController] })
export class ConsoleAccountModule {}
