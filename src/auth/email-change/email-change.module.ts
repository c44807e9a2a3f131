import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccountRemovalModule } from '../account-removal/account-removal.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { SessionModule } from '../session/session.module.js';
import { StopLinksModule } from '../stop-links/stop-links.module.js';
import { EmailChange } from './stored/email-change.entity.js';
import { EmailChangeConfirmation } from './email-change-confirmation.service.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailChangeLimits } from './email-change-limits.js';
import { EmailChangeNotices } from './email-change-notices.js';
import { EmailChangePurge } from './stored/email-change-purge.js';
import { EmailChangeRequests } from './email-change-requests.service.js';
import { EmailChangeStop } from './email-change-stop.service.js';
import { EmailChangesRepository } from './stored/email-changes.repository.js';
import { MovedAddress } from './moved-address.js';
import { NewAddress } from './new-address.service.js';
import { UndoneChange } from './undone-change.js';

/**
 * Owns changes of an e-mail address by its owner: the code to the new mailbox, the notices to the old one, and the link
 * in them that undoes the change. The forms belong to the account page.
 */
@Module({
  imports: [
    AccountRemovalModule,
    EnrollmentModule,
    RateLimitsModule,
    TokensModule,
    UsersModule,
    EmailLinksModule,
    SessionModule,
    StopLinksModule,
    TypeOrmModule.forFeature([EmailChange]),
  ],
  controllers: [EmailChangeController],
  providers: [
    EmailChangeRequests,
    EmailChangeConfirmation,
    EmailChangeStop,
    EmailChangeLimits,
    EmailChangeNotices,
    EmailChangePurge,
    EmailChangesRepository,
    MovedAddress,
    NewAddress,
    UndoneChange,
  ],
  exports: [EmailChangeRequests, EmailChangeConfirmation, UndoneChange],
})
export class EmailChangeModule {}
