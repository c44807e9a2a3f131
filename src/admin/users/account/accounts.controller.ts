import { Body, Controller, Delete, Get, Param, Patch, Put, Query, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiBody,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { MEMBERSHIP_PERMISSION } from '../../../enrollment/enrollments/membership-actions.js';
import { UserView, userView } from '../../../users/user.view.js';
import { UserUpdate } from '../creation/user.dto.js';
import { AppReference } from '../memberships/membership.dto.js';
import { MembershipsService } from '../memberships/memberships.service.js';
import { NameByAdminService } from './name-by-admin.service.js';
import { ImpactView, impactView } from './user-impact.view.js';
import { PlatformAdminsService } from '../platform-admins/platform-admins.service.js';
import { removalTarget } from './removal-target.js';
import { UserDeletionService } from './user-deletion.service.js';
import { UserImpactService } from './user-impact.service.js';

/** The whole account, for platform admins. Only DELETE has a form for others: it removes a user from one app. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@ApiNotFoundResponse({ description: '`User not found`' })
@Requires({ minimumRole: 'platform_admin' })
@Controller('admin/users/:user_id')
export class AccountsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly deletion: UserDeletionService,
    private readonly impacts: UserImpactService,
    private readonly admins: PlatformAdminsService,
    private readonly names: NameByAdminService,
  ) {}

  @Delete()
  @Requires(MEMBERSHIP_PERMISSION)
  @ApiOperation({
    summary: 'Remove a user from an app, or delete the user',
    description:
      'With app_id in the body or the query, removes the user from that app. Without it, deletes the user and all their data ' +
      '(platform admins only, after a recent sign-in). Any other field is then refused, so that a misspelled one cannot delete an account.',
  })
  @ApiBody({ type: AppReference, required: false })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description: '`Conflicting app_id`, `You cannot remove yourself`, `The last platform admin cannot be removed`',
  })
  async remove(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Query() query: AppReference,
    @Req() raw: Request,
    @Body() body?: AppReference,
  ): Promise<StatusView> {
    const appId = removalTarget(body, query, raw);
    if (appId === null) await this.deletion.delete(ctx, userId);
    else await this.memberships.run('remove', ctx, userId, appId);
    return { status: 'ok' };
  }

  @Patch()
  @ApiOperation({
    summary: 'Change the name of a user',
    description: 'All apps of the user show the new name. Tokens that are issued from then on contain it.',
  })
  @ApiOkResponse({ type: UserView })
  async update(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Body() { display_name: name }: UserUpdate,
  ): Promise<UserView> {
    return userView(await this.names.set(ctx, userId, name));
  }

  @Get('impact')
  @ApiOperation({ summary: 'Preview what deleting the user also deletes' })
  @ApiOkResponse({ type: ImpactView })
  async impact(@Param('user_id') userId: string): Promise<ImpactView> {
    return impactView(await this.impacts.read(userId));
  }

  @Put('promote')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Add or remove the platform admin role',
    description:
      'Adds the role if the user does not have it, and removes it if they do. The other platform admins get an e-mail about a new platform admin.',
  })
  @ApiOkResponse({ type: UserView })
  @ApiBadRequestResponse({
    description: '`User is not verified`, `You cannot remove yourself`, `The last platform admin cannot be removed`',
  })
  async promote(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<UserView> {
    return userView(await this.admins.toggle(ctx, userId));
  }
}
