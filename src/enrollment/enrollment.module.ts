import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../apps/apps.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { User } from '../users/user.entity.js';
import { UsersModule } from '../users/users.module.js';
import { AccountMails } from './notices/account-mails.js';
import { AppMembers } from './members/app-members.js';
import { AuthorityRepository } from './authority/authority.repository.js';
import { ClientMemberships } from './memberships/client-memberships.service.js';
import { OwnMemberships } from './memberships/own-memberships.service.js';
import { EndedEnrollment } from './enrollments/ended-enrollment.entity.js';
import { EndedPlans } from './enrollments/ended-plans.entity.js';
import { Enrollment } from './enrollments/enrollment.entity.js';
import { EnrollmentService } from './memberships/enrollment.service.js';
import { EntriesRepository } from './admission/entries.repository.js';
import { AccountChanges } from './memberships/account-changes.js';
import { EntryCache } from './memberships/entry-cache.js';
import { EnrollmentsRepository } from './enrollments/enrollments.repository.js';
import { KeptSuspensions } from './memberships/kept-suspensions.js';
import { InvitedEnrollment } from './memberships/invited-enrollment.service.js';
import { LimitedNoticesHandler } from './notices/limited-notices.handler.js';
import { BulkEnrollments } from './memberships/bulk-enrollments.service.js';
import { MembersRepository } from './members/members.repository.js';
import { NoticeRecipients } from './notices/notice-recipients.js';
import { AdministratorNotices } from './notices/administrator-notices.service.js';
import { SecurityNotices } from './notices/security-notices.service.js';
import { VisibleUsersRepository } from './users/visible-users.repository.js';
import { VisibleUsers } from './users/visible-users.service.js';
import { MembershipChanges } from './memberships/membership-changes.service.js';
import { EnrollmentNotices } from './memberships/enrollment-notices.service.js';
import { RequestDigestJob } from './requests/request-digest.job.js';
import { RequestMails } from './requests/request-mails.service.js';
import { RequestNotices } from './requests/request-notices.service.js';
import { RequestNoticesRepository } from './notices/request-notices.repository.js';
import { RequestNotice } from './notices/request-notice.entity.js';
import { RequestQueueRepository } from './requests/request-queue.repository.js';
import { RequestQueue } from './requests/request-queue.service.js';

/**
 * Owns enrollments: which users are members of which apps. Also what depends on them: authority, admission, which users
 * a caller may see, and in the name of which app users get mails about their account.
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
    KeptSuspensions,
    MembershipChanges,
    EnrollmentsRepository,
    AuthorityRepository,
    ClientMemberships,
    LimitedNoticesHandler,
    NoticeRecipients,
    BulkEnrollments,
    OwnMemberships,
    VisibleUsers,
    VisibleUsersRepository,
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
    AdministratorNotices,
    AppMembers,
    ClientMemberships,
    BulkEnrollments,
    OwnMemberships,
    EnrollmentService,
    AccountChanges,
    EntryCache,
    InvitedEnrollment,
    KeptSuspensions,
    MembershipChanges,
    MembersRepository,
    VisibleUsers,
    RequestQueue,
    SecurityNotices,
  ],
})
export class EnrollmentModule {}
