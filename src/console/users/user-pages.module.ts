import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { PasskeysModule } from '../../auth/credentials/passkeys/passkeys.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { MailListModule } from '../mails/mail-list.module.js';
import { PersonAccountPage } from './account/person-account-page.js';
import { PersonNameController } from './account/person-name.controller.js';
import { PersonAccountController } from './account/person-account.controller.js';
import { PasskeyWords } from './account/passkey-words.js';
import { PersonPasskeys } from './account/person-passkeys.js';
import { PersonPasskeysController } from './account/person-passkeys.controller.js';
import { PersonDangerController } from './danger/person-danger.controller.js';
import { PersonLinksController } from './memberships/person-links.controller.js';
import { PersonMailsController } from './activity/person-mails.controller.js';
import { PersonModels } from './page/person-models.js';
import { PersonPages } from './page/person-pages.js';
import { PersonEnrollmentController } from './memberships/person-enrollment.controller.js';
import { ConsolePreviewsModule } from '../previews/console-previews.module.js';
import { PersonPlace } from './memberships/person-place.js';
import { PersonRolesController } from './memberships/person-roles.controller.js';
import { PersonPlacesController } from './memberships/person-places.controller.js';
import { PersonConsentsController } from './activity/person-consents.controller.js';
import { PersonSessionsController } from './activity/person-sessions.controller.js';
import { PersonAccessController } from './memberships/person-access.controller.js';
import { PersonDeletionController } from './danger/person-deletion.controller.js';
import { PersonTimelineController } from './activity/person-timeline.controller.js';
import { PersonController } from './page/person.controller.js';
import { TimelinePages } from './activity/timeline-pages.js';
import { UserFactsReader } from './list/user-facts.js';
import { UserCreationController } from './list/user-creation.controller.js';
import { UserSearch } from './list/user-search.js';
import { UsersExportController } from './list/users-export.controller.js';
import { UsersListController } from './list/users-list.controller.js';
import { UsersListPages } from './list/users-list-pages.js';

/** People: the list and each one's pages, over the services of the admin API. Owns no table. */
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
  // The list, `new` and `suspend` before the pages of one user, whose id would otherwise be asked to be a UUID.
  controllers: [
    UsersListController,
    UsersExportController,
    UserCreationController,
    PersonController,
    PersonAccessController,
    PersonTimelineController,
    PersonMailsController,
    PersonEnrollmentController,
    PersonLinksController,
    PersonRolesController,
    PersonPlacesController,
    PersonConsentsController,
    PersonSessionsController,
    PersonAccountController,
    PersonNameController,
    PersonDangerController,
    PersonPasskeysController,
    PersonDeletionController,
  ],
  providers: [
    PersonPlace,
    PasskeyWords,
    PersonAccountPage,
    PersonPasskeys,
    PersonModels,
    PersonPages,
    TimelinePages,
    UserFactsReader,
    UsersListPages,
    UserSearch,
  ],
})
export class UserPagesModule {}
