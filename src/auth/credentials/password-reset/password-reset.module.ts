import { Module } from '@nestjs/common';
import { AppsModule } from '../../../apps/apps.module.js';
import { EnrollmentModule } from '../../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../../users/users.module.js';
import { EmailLinksModule } from '../../email-links/email-links.module.js';
import { SessionModule } from '../../session/session.module.js';
import { PasswordModule } from '../password/password.module.js';
import { PasswordResetPages } from './password-reset-pages.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordResetService } from './password-reset.service.js';
import { ResetLinks } from './reset-links.service.js';
import { ResetRequests } from './reset-requests.service.js';
import { ResetRequestedHandler } from './reset-requested.handler.js';

/** Owns forgotten passwords: the mailed link, its page and JSON route. It does not sign users in. */
@Module({
  imports: [
    AppsModule,
    EnrollmentModule,
    RateLimitsModule,
    UsersModule,
    EmailLinksModule,
    PasswordModule,
    SessionModule,
  ],
  controllers: [PasswordResetController],
  providers: [PasswordResetService, ResetLinks, ResetRequests, PasswordResetPages, ResetRequestedHandler],
  exports: [ResetRequests],
})
export class PasswordResetModule {}
