import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { message } from '../../common/i18n/message.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { PasskeyRecoveryStop } from './passkey-recovery-stop.service.js';

const PURPOSE = 'passkey-recovery';

/** The pages behind the link of the notice about lost passkeys. */
@ApiTags('Account')
@Controller('passkey-recovery')
export class PasskeyRecoveryController {
  constructor(
    private readonly stopping: PasskeyRecoveryStop,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({
    summary: 'Page behind the link of a notice about lost passkeys',
    description: 'Says what stopping does; changes nothing by itself.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link is used or too old' })
  async show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const text = typeof token === 'string' ? token : '';
    if (!(await this.stopping.isOpen(text))) return this.showSpent(response);
    const formToken = this.browser.formToken(this.browser.ensure(request, response), PURPOSE);
    await this.pages.send(response, {
      view: 'sign-in/stop-passkey-recovery',
      title: message('sign-in.stop_passkey_recovery.heading'),
      model: { token: text, formToken },
    });
  }

  @Post('stop')
  @Browser()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Stop the removal of lost passkeys',
    description: 'The passkeys stay, and sign-ins that are in progress begin again.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link is used or too old' })
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
      throw error;
    }
    const heading = message('sign-in.stop_passkey_recovery.done');
    await this.showEnd(response, 200, heading, message('sign-in.stop_passkey_recovery.done_lead'));
  }

  private showSpent(response: Response): Promise<void> {
    return this.showEnd(response, 400, message('sign-in.link_spent'), message('sign-in.stop_passkey_recovery.spent'));
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
