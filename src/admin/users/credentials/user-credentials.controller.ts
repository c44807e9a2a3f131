import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PasswordByAdminService } from './password-by-admin.service.js';
import { PasswordChangeRequest } from './password.dto.js';
import { SecondFactorResetService } from './second-factor-reset.service.js';

/** The password and the second factor of an account, for platform admins. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@ApiNotFoundResponse({ description: '`User not found`' })
@Requires({ minimumRole: 'platform_admin' })
@Controller('admin/users/:user_id')
export class UserCredentialsController {
  constructor(
    private readonly passwords: PasswordByAdminService,
    private readonly secondFactors: SecondFactorResetService,
  ) {}

  @Put('password')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @ApiOperation({
    summary: 'Set a new password for a user',
    description:
      'Ends all sessions and tokens of the user and sends a notice by e-mail. For your own password, use PUT /admin/me/password.',
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

  @Post('totp/reset')
  @Requires({ minimumRole: 'platform_admin', recentSignIn: 'always' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reset the second factor of a user',
    description:
      'For a user who has lost the authenticator app and the backup codes. Ends the sessions and tokens of the user and sends ' +
      'a notice by e-mail. For your own second factor, use POST /account/totp/disable.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({
    description: '`No second factor set up`, `Use /account/totp/disable for your own second factor`',
  })
  async resetSecondFactor(@Ctx() ctx: RequestContext, @Param('user_id') userId: string): Promise<StatusView> {
    await this.secondFactors.reset(ctx, userId);
    return { status: 'ok' };
  }
}
