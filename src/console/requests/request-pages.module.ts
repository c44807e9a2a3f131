import { Module } from '@nestjs/common';
import { UsersAdminModule } from '../../admin/users/users-admin.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { BulkMembershipChanges } from '../memberships/bulk-membership-changes.js';
import { RequestBulkController } from './request-bulk.controller.js';
import { RequestDecisions } from './request-decisions.js';
import { RequestDecisionController } from './request-decision.controller.js';
import { RequestsController } from './requests.controller.js';

/** The queue of requests for access, and the decisions. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, EnrollmentModule, UsersAdminModule],
  controllers: [RequestsController, RequestBulkController, RequestDecisionController],
  providers: [RequestDecisions, BulkMembershipChanges],
})
export class RequestPagesModule {}
