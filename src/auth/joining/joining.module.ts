import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccessModule } from '../access/access.module.js';
import { ApiSignInModule } from '../api-sign-in/api-sign-in.module.js';
import { EmailLinksModule } from '../email-links/email-links.module.js';
import { HostedSignInModule } from '../hosted-sign-in/hosted-sign-in.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { SessionModule } from '../session/session.module.js';
import { AccessRequestsBySession } from './access-requests-by-session.js';
import { AccessRequestsService } from './access-requests.service.js';
import { GuessLimit } from './invitation/guess-limit.js';
import { InvitationController } from './invitation/invitation.controller.js';
import { InvitationForm } from './invitation/invitation-form.js';
import { InvitedJoin } from './invited-join.service.js';
import { Invitations } from './invitation/invitations.js';
import { InvitationPages } from './invitation/invitation-pages.js';
import { InviteAcceptance } from './invite-acceptance.service.js';
import { InvitedNewUser } from './invited-new-user.service.js';
import { InvitedUser } from './invited-user.service.js';
import { JoiningController } from './joining.controller.js';
import { SignedInUser } from './signed-in-user.js';

/**
 * Owns how a user who is not a member yet joins an app: by invite or by a request for access. Owns no table. The pages
 * of the hosted sign-in for this belong to `JoiningStepsModule`.
 */
@Module({
  imports: [
    AppsModule,
    EnrollmentModule,
    InvitesModule,
    RateLimitsModule,
    UsersModule,
    AccessModule,
    ApiSignInModule,
    EmailLinksModule,
    HostedSignInModule,
    RegistrationModule,
    SessionModule,
  ],
  controllers: [JoiningController, InvitationController],
  providers: [
    InviteAcceptance,
    InvitedNewUser,
    InvitedJoin,
    InvitedUser,
    SignedInUser,
    GuessLimit,
    AccessRequestsService,
    AccessRequestsBySession,
    Invitations,
    InvitationPages,
    InvitationForm,
  ],
  exports: [AccessRequestsService, GuessLimit, InvitedNewUser],
})
export class JoiningModule {}
