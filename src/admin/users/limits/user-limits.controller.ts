import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { UserLimitsView, userLimitsView } from './user-limits.view.js';
import { UserLimitsService } from './user-limits.service.js';

/** The rate limits of an account, for platform admins. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@ApiNotFoundResponse({ description: '`User not found`' })
@Requires({ minimumRole: 'platform_admin' })
@Controller('admin/users/:user_id')
export class UserLimitsController {
  constructor(private readonly limits: UserLimitsService) {}

  @Get('rate-limits')
  @ApiOperation({ summary: 'List the rate limits that count this user' })
  @ApiOkResponse({ type: UserLimitsView })
  async rateLimits(@Param('user_id') userId: string): Promise<UserLimitsView> {
    return userLimitsView(await this.limits.inspect(userId));
  }

  @Post('rate-limits/clear')
  @HttpCode(200)
  @ApiOperation({ summary: 'Clear the rate limits of this user', description: 'The user can try again immediately.' })
  @ApiOkResponse({ type: StatusView })
  async clearRateLimits(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<StatusView> {
    await this.limits.clear(ctx, userId);
    return { status: 'ok' };
  }
}
