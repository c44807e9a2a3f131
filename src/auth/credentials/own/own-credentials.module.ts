import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { AccessModule } from '../../access/access.module.js';
import { SessionModule } from '../../session/session.module.js';
import { PasswordModule } from '../password/password.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { AccountSecurityController } from './account-security.controller.js';
import { CurrentPassword } from './current-password.service.js';
import { OwnPasswordController } from './own-password.controller.js';
import { OwnPasswordService } from './own-password.service.js';
import { OwnPasswordStorage } from './own-password-storage.service.js';

/**
 * Owns the JSON routes by which users change their own password and second factor. {@link PasswordModule} decides what
 * a new password ends, {@link SecondFactorModule} owns the second factor, and the account module owns the pages.
 */
@Module({
  imports: [AccessModule, AppsModule, EnrollmentModule, PasswordModule, SecondFactorModule, SessionModule, UsersModule],
  controllers: [OwnPasswordController, AccountSecurityController],
  providers: [CurrentPassword, OwnPasswordService, OwnPasswordStorage],
  exports: [OwnPasswordService],
})
export class OwnCredentialsModule {}
