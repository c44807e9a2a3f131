import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { AccountRegistration } from './account-registration.service.js';
import { NewAccounts } from './new-accounts.service.js';
import { SignUpService } from './sign-up.service.js';

/** Owns how accounts are created, each with its audit entry. It does not handle the sign-in afterwards, or invites. */
@Module({
  imports: [AppsModule, EnrollmentModule, RateLimitsModule, UsersModule, EmailLinksModule, PasswordModule],
  providers: [AccountRegistration, NewAccounts, SignUpService],
  exports: [AccountRegistration, NewAccounts, SignUpService],
})
export class RegistrationModule {}
