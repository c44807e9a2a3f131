import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PasswordByAdminService } from '../../../admin/users/credentials/password-by-admin.service.js';
import { PasswordChangeRequest } from '../../../admin/users/credentials/password.dto.js';
import { UserLimitsService } from '../../../admin/users/limits/user-limits.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { UserAccountPage } from './user-account-page.js';

/** The whole account, for platform admins: limits and password. Actions that cannot be undone have separate pages. */
@Controller('console/users/:user_id')
export class UserAccountController {
  constructor(
    private readonly account: UserAccountPage,
    private readonly limits: UserLimitsService,
    private readonly passwords: PasswordByAdminService,
    private readonly pages: ConsolePages,
  ) {}

  @Get('account')
  @ConsolePage('platform_admin')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    return this.account.show(consoleRequest, response, id);
  }

  @Post('limits/clear')
  @ConsolePage('platform_admin')
  @HttpCode(303)
  async clearLimits(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.limits.clear(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/users/${id}/account`,
      'The limits were cleared. The user can try again immediately.',
    );
  }

  @Post('password')
  @ConsolePage('platform_admin', { recentSignIn: 'always', back: 'account' })
  @HttpCode(303)
  async setPassword(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Body() body: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    // The raw value, because {@link FormFields} trims blanks.
    const form = readForm(PasswordChangeRequest, { new_password: body['new_password'] });
    if ('errors' in form) return this.account.show(consoleRequest, response, id, { errors: form.errors });
    try {
      await this.passwords.set(consoleRequest.ctx, id, form.input.new_password);
    } catch (error) {
      const errors = formErrors(error).map((each) => ({ ...each, field: 'new_password' }));
      return this.account.show(consoleRequest, response, id, { errors });
    }
    const words = 'The password was set. The user was signed out everywhere and notified by e-mail.';
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/account`, words);
  }
}
