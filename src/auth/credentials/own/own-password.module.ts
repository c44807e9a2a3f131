import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { AuthModule } from '../../auth.module.js';
import { OwnPasswordController } from './own-password.controller.js';
import { OwnPasswordService } from './own-password.service.js';

/** People and their own passwords. What every new password brings along is `NewPasswordService`'s. */
@Module({
  imports: [AuthModule, EnrollmentModule, AppsModule, UsersModule, RateLimitsModule],
  controllers: [OwnPasswordController],
  providers: [OwnPasswordService],
  exports: [OwnPasswordService],
})
export class OwnPasswordModule {}
