import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req } from '@nestjs/common';
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
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { UserView, userView } from '../../users/user.view.js';
import { AppReference } from './user.dto.js';
import { MembershipsService } from './memberships.service.js';
import { PasswordByAdminService } from './password-by-admin.service.js';
import { PasswordChangeRequest } from './people.dto.js';
import { ImpactView, impactView, UserLimitsView, userLimitsView } from './people.view.js';
import { PlatformAdminsService } from './platform-admins.service.js';
import { removalTarget } from './removal-target.js';
import { SecondFactorResetService } from './second-factor-reset.service.js';
import { UserDeletionService } from './user-deletion.service.js';
import { UserImpactService } from './user-impact.service.js';
import { UserLimitsService } from './user-limits.service.js';

/** The whole account: for platform admins, but for the form of DELETE that takes a user out of one app. */
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
    private readonly passwords: PasswordByAdminService,
    private readonly admins: PlatformAdminsService,
    private readonly limits: UserLimitsService,
    private readonly secondFactors: SecondFactorResetService,
  ) {}

  @Delete()
  @Requires({ minimumRole: 'app_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Unenrol, or delete the user',
    description:
      'With app_id in the body or the query: takes the user out of that app. Without: deletes the user with everything ' +
      'that is theirs (platform admins); any other field is then refused, so that a misspelt one deletes nobody.',
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

  @Get('impact')
  @ApiOperation({ summary: 'What deleting the user would delete with it' })
  @ApiOkResponse({ type: ImpactView })
  async impact(@Param('user_id') userId: string): Promise<ImpactView> {
    return impactView(await this.impacts.read(userId));
  }

  @Put('password')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Set a new password',
    description: 'Ends sessions and tokens and mails the user a notice. One’s own: PUT /admin/me/password.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description: '`Password must be at least N characters`, `Use /admin/me/password for your own password`',
  })
  async setPassword(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Body() input: PasswordChangeRequest,
  ): Promise<StatusView> {
    await this.passwords.set(ctx, userId, input.new_password);
    return { status: 'ok' };
  }

  @Put('promote')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Make a platform admin, or no longer one',
    description: 'Toggles. The other platform admins are notified of a new one by e-mail.',
  })
  @ApiOkResponse({ type: UserView })
  @ApiBadRequestResponse({
    description: '`User is not verified`, `You cannot remove yourself`, `The last platform admin cannot be removed`',
  })
  async promote(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<UserView> {
    return userView(await this.admins.toggle(ctx, userId));
  }

  @Post('totp/reset')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reset the second factor',
    description:
      'For a user who has lost the authenticator app and the backup codes. Ends sessions and tokens and mails the user a notice. One’s own: ' +
      'POST /account/totp/disable.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description: '`No second factor set up`, `Use /account/totp/disable for your own second factor`',
  })
  async resetSecondFactor(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<StatusView> {
    await this.secondFactors.reset(ctx, userId);
    return { status: 'ok' };
  }

  @Get('rate-limits')
  @ApiOperation({ summary: 'Rate limits that count this user' })
  @ApiOkResponse({ type: UserLimitsView })
  async rateLimits(@Param('user_id') userId: string): Promise<UserLimitsView> {
    return userLimitsView(await this.limits.inspect(userId));
  }

  @Post('rate-limits/clear')
  @HttpCode(200)
  @ApiOperation({ summary: 'Clear the rate limits of this user', description: 'They may try again at once.' })
  @ApiOkResponse({ type: StatusView })
  async clearRateLimits(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<StatusView> {
    await this.limits.clear(ctx, userId);
    return { status: 'ok' };
  }
}
