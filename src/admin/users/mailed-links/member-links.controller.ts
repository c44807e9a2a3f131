import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Requires } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { MEMBERSHIP_PERMISSION } from '../../../enrollment/enrollments/membership-actions.js';
import { MemberLinks } from './member-links.service.js';

const CLOSED = '`Enrollment is not active`, `User is not active`, `App is not active`';

/** Mails with links for the members of an app. */
@ApiTags('Admin: users')
@ApiBearerAuth()
@ApiNotFoundResponse({ description: '`User not found`, `App not found`, `Enrollment not found`' })
@Requires({ minimumRole: MEMBERSHIP_PERMISSION.minimumRole })
@Controller('admin/users/:user_id/apps/:app_id')
export class MemberLinksController {
  constructor(private readonly links: MemberLinks) {}

  @Post('reset-link')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a password reset link to a user',
    description:
      'The user must be a member of the app. At most three e-mails in 15 minutes. The link is valid for 30 minutes.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiConflictResponse({ description: CLOSED })
  async sendResetLink(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<StatusView> {
    await this.links.send(ctx, 'reset_password', userId, appId);
    return { status: 'ok' };
  }

  @Post('verification-link')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a verification link to a user',
    description:
      'The user must be a member of the app. At most three e-mails in 15 minutes. The link is valid for 24 hours.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiConflictResponse({ description: `${CLOSED}, \`Email address is already verified\`` })
  async sendVerificationLink(
    @Ctx() ctx: RequestContext,
    @Param('user_id') userId: string,
    @Param('app_id') appId: string,
  ): Promise<StatusView> {
    await this.links.send(ctx, 'verify_email', userId, appId);
    return { status: 'ok' };
  }
}
