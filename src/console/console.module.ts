import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConsoleController } from './console.controller.js';
import { ConsoleService } from './console.service.js';

/** The operator's pages, over the same services as the admin API. Owns no table. */
@Module({
  imports: [AdminModule, AppsModule, AuthModule, EnrollmentModule, TokensModule, UsersModule],
  controllers: [ConsoleController],
  providers: [ConsoleService],
})
export class ConsoleModule {}
