import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { PasswordModule } from '../credentials/password/password.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { SignUpService } from './sign-up.service.js';

/** Owns how a user creates an account at an app. Sign-in afterwards is not its business, nor are invites. */
@Module({
  imports: [EnrollmentModule, RateLimitsModule, UsersModule, EmailLinksModule, PasswordModule],
  providers: [SignUpService],
  exports: [SignUpService],
})
export class RegistrationModule {}
