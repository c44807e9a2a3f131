import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/apps.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConsoleEntrance } from './console-entrance.js';
import { ConsoleSessionsModule } from './session/console-sessions.module.js';
import { ImpersonationService } from './impersonation/impersonation.service.js';

/**
 * The current operator, and the tenants and apps that they can impersonate: for pages, and for tasks that outlast a
 * request.
 */
@Module({
  imports: [AppsModule, AuthModule, TenantsModule, UsersModule, ConsoleSessionsModule],
  providers: [ConsoleEntrance, ImpersonationService],
  exports: [ConsoleEntrance, ImpersonationService],
})
export class OperatorsModule {}
