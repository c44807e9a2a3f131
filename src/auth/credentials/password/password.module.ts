import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { OutboundModule } from '../../../outbound/outbound.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { TenantsModule } from '../../../tenants/tenants.module.js';
import { TokensModule } from '../../../tokens/tokens.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { EmailLinksModule } from '../../email-links/email-links.module.js';
import { SessionModule } from '../../session/session.module.js';
import { BreachedPasswords } from './breached-passwords.js';
import { NewPasswordService } from './new-password.service.js';
import { PasswordCheckService } from './password-check.service.js';
import { PasswordNotices } from './password-notices.js';
import { PasswordPolicyService } from './password-policy.service.js';
import { PreparedPasswords } from './prepared-passwords.service.js';

/**
 * Owns the check of a password, the rules for new ones, and the consequences of a new one. Hashing is in the users
 * module; it has no routes.
 */
@Module({
  imports: [
    EnrollmentModule,
    OutboundModule,
    RateLimitsModule,
    TenantsModule,
    TokensModule,
    UsersModule,
    EmailLinksModule,
    SessionModule,
  ],
  providers: [
    PreparedPasswords,
    PasswordCheckService,
    PasswordPolicyService,
    NewPasswordService,
    PasswordNotices,
    BreachedPasswords,
  ],
  exports: [PreparedPasswords, PasswordCheckService, PasswordPolicyService, NewPasswordService],
})
export class PasswordModule {}
