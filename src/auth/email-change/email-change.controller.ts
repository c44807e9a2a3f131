import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { message } from '../../common/i18n/message.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { EmailTaken } from './email-change.errors.js';
import { EmailChangeStop } from './email-change-stop.service.js';

const PURPOSE = 'email-change';

/** The pages behind the link of a notice to the old address. */
@ApiTags('Account')
@Controller('email-change')
export class EmailChangeController {
  constructor(
    private readonly stopping: EmailChangeStop,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({
    summary: 'Page behind the link of a notice about a new e-mail address',
    description: 'Says what stopping does; changes nothing by itself.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link is used or too old' })
  async show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const text = typeof token === 'string' ? token : '';
    const change = await this.stopping.find(text);
    if (!change) return this.showSpent(response);
    const formToken = this.browser.formToken(this.browser.ensure(request, response), PURPOSE);
    await this.pages.send(response, {
      view: 'sign-in/stop-email-change',
      title: message('sign-in.stop_email_change.title'),
      model: {
        token: text,
        formToken,
        oldEmail: change.oldEmail,
        newEmail: change.newEmail,
        isDone: change.completedAt !== null,
      },
    });
  }

  @Post('stop')
  @Browser()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Stop or undo a change of the e-mail address',
    description:
      'The account gets its old address back. Its password, what was set up since, all sessions and tokens are removed, ' +
      'and a link to set a new password is mailed to the old address.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link is used or too old' })
  @ApiConflictResponse({ description: 'HTML: another account has proven the old address since' })
  async stop(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    try {
      await this.stopping.stop(ctx, typeof body['token'] === 'string' ? body['token'] : '');
    } catch (error) {
      if (error instanceof InvalidLink) return this.showSpent(response);
      if (error instanceof EmailTaken) return this.showTaken(response);
      throw error;
    }
    const heading = message('sign-in.stop_email_change.done');
    await this.showEnd(response, 200, heading, message('sign-in.stop_email_change.done_lead'));
  }

  private showSpent(response: Response): Promise<void> {
    return this.showEnd(response, 400, message('sign-in.link_spent'), message('sign-in.stop_email_change.spent'));
  }

  private showTaken(response: Response): Promise<void> {
    const heading = message('sign-in.stop_email_change.taken');
    return this.showEnd(response, 409, heading, message('sign-in.stop_email_change.taken_lead'));
  }

  private showEnd(
    response: Response,
    status: number,
    heading: ReturnType<typeof message>,
    lead: ReturnType<typeof message>,
  ): Promise<void> {
    const action = { href: '/account', label: message('sign-in.go_to_your_account') };
    const model = { heading, message: lead, action };
    return this.pages.send(response, { view: 'sign-in/done', title: heading, status, model });
  }
}
