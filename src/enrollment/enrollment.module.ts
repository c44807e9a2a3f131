import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/apps.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { User } from '../users/user.entity.js';
import { UsersModule } from '../users/users.module.js';
import { AccountMails } from './account-mails.js';
import { AppMembers } from './app-members.js';
import { AuthorityRepository } from './authority.repository.js';
import { ClientMemberships } from './client-memberships.service.js';
import { OwnMemberships } from './own-memberships.service.js';
import { EndedEnrollment } from './ended-enrollment.entity.js';
import { EndedPlans } from './ended-plans.entity.js';
import { Enrollment } from './enrollment.entity.js';
import { EnrollmentService } from './enrollment.service.js';
import { EntriesRepository } from './entries.repository.js';
import { AccountChanges } from './account-changes.js';
import { EntryCache } from './entry-cache.js';
import { EnrollmentsRepository } from './enrollments.repository.js';
import { InvitedEnrollment } from './invited-enrollment.service.js';
import { LimitedNoticesHandler } from './limited-notices.handler.js';
import { ManyEnrollments } from './many-enrollments.service.js';
import { MembersRepository } from './members.repository.js';
import { AdministratorNotices } from './administrator-notices.service.js';
import { SecurityNotices } from './security-notices.service.js';
import { PeopleRepository } from './people.repository.js';
import { PeopleService } from './people.service.js';
import { EnrollmentNotices } from './enrollment-notices.service.js';
import { RequestDigestJob } from './request-digest.job.js';
import { RequestMails } from './request-mails.service.js';
import { RequestNotices } from './request-notices.service.js';
import { RequestNoticesRepository } from './request-notices.repository.js';
import { RequestNotice } from './request-notice.entity.js';
import { RequestQueueRepository } from './request-queue.repository.js';
import { RequestQueue } from './request-queue.service.js';

/**
 * Owns enrollments: who is in which app. Also what follows from them: authority, admission, which people one may see,
 * in whose name people are mailed about their account.
 */
@Module({
  imports: [
    AppsModule,
    TenantsModule,
    UsersModule,
    TypeOrmModule.forFeature([Enrollment, EndedEnrollment, EndedPlans, RequestNotice, User]),
  ],
  providers: [
    AccountMails,
    AdministratorNotices,
    AppMembers,
    EnrollmentService,
    EntriesRepository,
    AccountChanges,
    EntryCache,
    InvitedEnrollment,
    EnrollmentsRepository,
    AuthorityRepository,
    ClientMemberships,
    LimitedNoticesHandler,
    ManyEnrollments,
    OwnMemberships,
    PeopleService,
    PeopleRepository,
    MembersRepository,
    EnrollmentNotices,
    RequestDigestJob,
    RequestMails,
    RequestNotices,
    RequestNoticesRepository,
    RequestQueue,
    RequestQueueRepository,
    SecurityNotices,
  ],
  exports: [
    AccountMails,
    AppMembers,
    ClientMemberships,
    ManyEnrollments,
    OwnMemberships,
    EnrollmentService,
    AccountChanges,
    EntryCache,
    InvitedEnrollment,
    MembersRepository,
    PeopleService,
    RequestQueue,
    SecurityNotices,
  ],
})
export class EnrollmentModule {}
