import { Body, Controller, Delete, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiBody,
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import {
  MEMBERSHIP_ACTIONS,
  MEMBERSHIP_PERMISSION,
  type MembershipActionName,
} from '../../../enrollment/enrollments/membership-actions.js';
import { chosenApp } from './chosen-app.js';
import { AppReference, RolesChange, RolesChangeOfUser } from './membership.dto.js';
import { MembershipRoles } from './membership-roles.service.js';
import { MembershipsService } from './memberships.service.js';

class RolesView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ type: [String], description: 'Always contains `user`' }) roles: string[];
}

class EnrollmentStatusView {
  @ApiProperty({ enum: ['ok'] }) status: 'ok';
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ enum: ['pending', 'active', 'suspended'] }) enrollment_status: string;
}

class ApprovalView extends EnrollmentStatusView {
  @ApiProperty({ description: 'False: the user has not verified the address' }) email_verified: boolean;
  @ApiProperty({
    description:
      'False: the user is approved without an e-mail, because a limit of e-mails was reached. Send it later from the mail log',
  })
  email_sent: boolean;
}

const REGISTERED_ITSELF =
  '`The app has registered itself. You can only switch it off or on, archive it, and suspend, reactivate or remove its users`, if the user is not enrolled yet';
const NOT_FOUND = { description: '`User not found`, `App not found`, `Enrollment not found`' };

/** A user's enrollment in one app. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@ApiNotFoundResponse(NOT_FOUND)
@Requires(MEMBERSHIP_PERMISSION)
@Controller('admin/users')
export class MembershipsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly roles: MembershipRoles,
  ) {}

  @Put(':user_id/roles')
  @ApiOperation({
    summary: 'Set the roles of a user in an app',
    description:
      'Replaces the roles. Enrolls the user if they are not enrolled yet. Adding `admin` or `manager`, and any role in a Console app, requires a sign-in from the last 15 minutes.',
  })
  @ApiOkResponse({ type: RolesView })
  @ApiConflictResponse({ description: REGISTERED_ITSELF })
  async setRoles(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Body() input: RolesChange,
  ): Promise<RolesView> {
    const appId = input.app_id.toLowerCase();
    return { user_id: userId, app_id: appId, roles: await this.roles.set(ctx, userId, appId, input.roles) };
  }

  @Post('roles')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set the roles of a user in an app (alias)' })
  @ApiOkResponse({ type: RolesView })
  @ApiConflictResponse({ description: REGISTERED_ITSELF })
  setRolesOf(@Ctx() ctx: RequestContext, @Body() input: RolesChangeOfUser): Promise<RolesView> {
    return this.setRoles(ctx, input.user_id.toLowerCase(), input);
  }

  @Post(':user_id/suspend')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Suspend a user in an app',
    description: 'Send app_id in the body or the query. Revokes the refresh tokens of the user at the app.',
  })
  @ApiBody({ type: AppReference, required: false })
  @ApiOkResponse({ type: EnrollmentStatusView })
  @ApiBadRequestResponse({ description: '`Conflicting app_id`, `You cannot remove yourself`' })
  @ApiConflictResponse({ description: '`Enrollment is not active`' })
  async suspend(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Query() query: AppReference,
    @Body() body?: AppReference,
  ): Promise<EnrollmentStatusView> {
    const appId = chosenApp(body?.app_id, query.app_id);
    await this.memberships.run('suspend', ctx, userId, appId);
    return statusView('suspend', userId, appId);
  }

  @Put(':user_id/apps/:app_id/reactivate')
  @ApiOperation({
    summary: 'Reactivate a suspended user in an app',
    description: 'Tokens from before the suspension stay invalid.',
  })
  @ApiOkResponse({ type: EnrollmentStatusView })
  @ApiConflictResponse({ description: '`Enrollment is not suspended`' })
  async reactivate(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<EnrollmentStatusView> {
    await this.memberships.run('reactivate', ctx, userId, appId);
    return statusView('reactivate', userId, appId);
  }

  @Put(':user_id/apps/:app_id/approve')
  @ApiOperation({
    summary: 'Approve a request for access',
    description:
      'The user gets an e-mail, within the limits `member_mail` and `approval_mail`. If the request has the role `admin` or `manager`, because `auto_assign_roles` had it, this requires a sign-in from the last 15 minutes.',
  })
  @ApiOkResponse({ type: ApprovalView })
  @ApiConflictResponse({ description: '`Enrollment is not pending`' })
  async approve(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<ApprovalView> {
    const { emailVerified, emailSent } = await this.memberships.run('approve', ctx, userId, appId);
    return { ...statusView('approve', userId, appId), email_verified: emailVerified, email_sent: emailSent ?? false };
  }

  @Delete(':user_id/apps/:app_id/deny')
  @ApiOperation({
    summary: 'Deny a request for access',
    description: 'The enrollment is deleted. The user gets no e-mail.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiConflictResponse({ description: '`Enrollment is not pending`' })
  async deny(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<StatusView> {
    await this.memberships.run('deny', ctx, userId, appId);
    return { status: 'ok' };
  }

  @Delete(':user_id/apps/:app_id')
  @ApiOperation({
    summary: 'Remove a user from an app',
    description: 'Works for every enrollment status. Tokens for the app stop working.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`You cannot remove yourself`' })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<StatusView> {
    await this.memberships.run('remove', ctx, userId, appId);
    return { status: 'ok' };
  }
}

function statusView(
  action: Extract<MembershipActionName, 'approve' | 'suspend' | 'reactivate'>,
  userId: string,
  appId: string,
): EnrollmentStatusView {
  return { status: 'ok', user_id: userId, app_id: appId, enrollment_status: MEMBERSHIP_ACTIONS[action].to! };
}
