import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { PasskeysModule } from '../../auth/credentials/passkeys/passkeys.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { MailListModule } from '../mails/mail-list.module.js';
import { UserAccountPage } from './account/user-account-page.js';
import { UserNameController } from './account/user-name.controller.js';
import { UserAccountController } from './account/user-account.controller.js';
import { PasskeyWords } from './account/passkey-words.js';
import { UserPasskeys } from './account/user-passkeys.js';
import { ConsoleUserPasskeysController } from './account/user-passkeys.controller.js';
import { UserDangerController } from './danger/user-danger.controller.js';
import { UserLinksController } from './memberships/user-links.controller.js';
import { UserMailsController } from './activity/user-mails.controller.js';
import { UserModels } from './page/user-models.js';
import { UserPages } from './page/user-pages.js';
import { UserEnrollmentController } from './memberships/user-enrollment.controller.js';
import { ConsolePreviewsModule } from '../previews/console-previews.module.js';
import { UserMembership } from './memberships/user-membership.js';
import { UserRolesController } from './memberships/user-roles.controller.js';
import { UserMembershipActionsController } from './memberships/user-membership-actions.controller.js';
import { ConsoleUserConsentsController } from './activity/user-consents.controller.js';
import { UserSessionsController } from './activity/user-sessions.controller.js';
import { UserAccessController } from './memberships/user-access.controller.js';
import { UserDeletionController } from './danger/user-deletion.controller.js';
import { UserTimelineController } from './activity/user-timeline.controller.js';
import { UserController } from './page/user.controller.js';
import { TimelinePages } from './activity/timeline-pages.js';
import { UserFactsReader } from './list/user-facts.js';
import { UserCreationController } from './list/user-creation.controller.js';
import { UserSearch } from './list/user-search.js';
import { UsersExportController } from './list/users-export.controller.js';
import { UsersListController } from './list/users-list.controller.js';
import { UsersListPages } from './list/users-list-pages.js';

/** The list of users and the pages of each user, on the services of the admin API. Owns no table. */
@Module({
  imports: [
    ConsoleFrameModule,
    ConsolePreviewsModule,
    AdminModule,
    AppsModule,
    EnrollmentModule,
    MailListModule,
    PasskeysModule,
  ],
  // The order matters: the list, `new` and `suspend` must come before the pages of one user, which require a UUID.
  controllers: [
    UsersListController,
    UsersExportController,
    UserCreationController,
    UserController,
    UserAccessController,
    UserTimelineController,
    UserMailsController,
    UserEnrollmentController,
    UserLinksController,
    UserRolesController,
    UserMembershipActionsController,
    ConsoleUserConsentsController,
    UserSessionsController,
    UserAccountController,
    UserNameController,
    UserDangerController,
    ConsoleUserPasskeysController,
    UserDeletionController,
  ],
  providers: [
    UserMembership,
    PasskeyWords,
    UserAccountPage,
    UserPasskeys,
    UserModels,
    UserPages,
    TimelinePages,
    UserFactsReader,
    UsersListPages,
    UserSearch,
  ],
})
export class UserPagesModule {}
