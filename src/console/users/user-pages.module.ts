import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { PasskeysModule } from '../../auth/credentials/passkeys/passkeys.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { MailListModule } from '../mails/mail-list.module.js';
import { PersonAccountPage } from './person-account-page.js';
import { PersonNameController } from './person-name.controller.js';
import { PersonAccountController } from './person-account.controller.js';
import { PasskeyWords } from './passkey-words.js';
import { PersonPasskeys } from './person-passkeys.js';
import { PersonPasskeysController } from './person-passkeys.controller.js';
import { PersonDangerController } from './person-danger.controller.js';
import { PersonLinksController } from './person-links.controller.js';
import { PersonMailsController } from './person-mails.controller.js';
import { PersonModels } from './person-models.js';
import { PersonPages } from './person-pages.js';
import { PersonEnrollmentController } from './person-enrollment.controller.js';
import { ConsolePreviewsModule } from '../previews/console-previews.module.js';
import { PersonPlace } from './person-place.js';
import { PersonRolesController } from './person-roles.controller.js';
import { PersonPlacesController } from './person-places.controller.js';
import { PersonConsentsController } from './person-consents.controller.js';
import { PersonSessionsController } from './person-sessions.controller.js';
import { PersonAccessController } from './person-access.controller.js';
import { PersonDeletionController } from './person-deletion.controller.js';
import { PersonTimelineController } from './person-timeline.controller.js';
import { PersonController } from './person.controller.js';
import { TimelinePages } from './timeline-pages.js';
import { UserFactsReader } from './user-facts.js';
import { UserCreationController } from './user-creation.controller.js';
import { UserSearch } from './user-search.js';
import { UsersExportController } from './users-export.controller.js';
import { UsersListController } from './users-list.controller.js';
import { UsersListPages } from './users-list-pages.js';

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
