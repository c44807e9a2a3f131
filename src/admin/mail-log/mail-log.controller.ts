import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { setPageHeaders } from '../../common/http/pagination/page-headers.js';
import { pageOf } from '../../common/http/pagination/page-size.js';
import { StatusView } from '../../common/http/status.view.js';
import type { RequestContext } from '../../common/request-context.js';
import { MEMBERSHIP_PERMISSION } from '../../enrollment/enrollments/membership-actions.js';
import { MailListQuery } from './mail-log.dto.js';
import { MailLogReader } from './mail-log-reader.service.js';
import { MailResend } from './mail-resend.service.js';
import { MailView, mailView } from './mail.view.js';

/** Mails with their recipient and delivery state. */
@ApiTags('Admin: mail log')
@ApiBearerAuth()
@Controller('admin/mails')
export class MailLogController {
  constructor(
    private readonly reader: MailLogReader,
    private readonly resends: MailResend,
  ) {}

  @Get()
  @Requires({ minimumRole: 'app_admin' })
  @ApiOperation({
    summary: 'List e-mails in the mail log',
    description:
      'Newest first. You see e-mails that were sent in the name of the apps that you administer; platform admins also see those in the name of the service and about scheduled changes. `Link` names the next page. Entries are kept for `MAIL_LOG_DAYS`; bodies and links are never stored.',
  })
  @ApiOkResponse({ type: [MailView] })
  async list(
    @Ctx() ctx: RequestContext,
    @Query() query: MailListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MailView[]> {
    const page = pageOf(query);
    const { mails, next } = await this.reader.list(ctx, query, page);
    setPageHeaders(request, response, { ...page, total: null, more: next !== null, cursor: next });
    return mails.map(mailView);
  }

  @Post(':mail_id/resend')
  @HttpCode(200)
  @Requires(MEMBERSHIP_PERMISSION)
  @ApiOperation({
    summary: 'Send an e-mail again',
    description:
      'Sends a new e-mail with a new link to the current address of the user. Earlier links become invalid. Works for password resets, verifications, invites and approvals. A user gets at most three in 15 minutes. The audit log records it like the first e-mail.',
  })
  @ApiOkResponse({ type: StatusView })
  @ApiNotFoundResponse({ description: '`Mail not found`' })
  @ApiConflictResponse({
    description:
      'The reason, for example `Enrollment is not active`, `User is not active`, `App is not active`, `Email address is already verified`, `Invite is exhausted`',
  })
  async resend(@Ctx() ctx: RequestContext, @Param('mail_id') id: string): Promise<StatusView> {
    await this.resends.resend(ctx, id);
    return { status: 'ok' };
  }
}
