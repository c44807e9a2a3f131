import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MemberLinks } from '../../../admin/users/mailed-links/member-links.service.js';
import { MEMBERSHIP_PERMISSION } from '../../../enrollment/enrollments/membership-actions.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';

/** E-mails members a link that they could also request themselves. */
@Controller('console/users/:user_id/apps/:app_id')
export class UserLinksController {
  constructor(
    private readonly links: MemberLinks,
    private readonly pages: ConsolePages,
  ) {}

  @Post('reset-link')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole)
  @HttpCode(303)
  async sendResetLink(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Res() response: Response,
  ): Promise<void> {
    const email = await this.links.send(consoleRequest.ctx, 'reset_password', id, appId);
    const words = `A password reset link was e-mailed to ${email}.`;
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}`, words);
  }

  @Post('verification-link')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole)
  @HttpCode(303)
  async sendVerificationLink(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Res() response: Response,
  ): Promise<void> {
    const email = await this.links.send(consoleRequest.ctx, 'verify_email', id, appId);
    const words = `A link to verify the address was e-mailed to ${email}.`;
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}`, words);
  }
}
