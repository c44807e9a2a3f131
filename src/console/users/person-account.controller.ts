import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PasswordByAdminService } from '../../admin/people/password-by-admin.service.js';
import { PasswordChangeRequest } from '../../admin/people/people.dto.js';
import { UserLimitsService } from '../../admin/people/user-limits.service.js';
import type { FormError } from '../../common/pages/form-error.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { formErrors, readForm } from '../frame/form-input.js';
import { limitWords, waitInWords } from '../queues/queue-words.js';
import { PersonPasskeys } from './person-passkeys.js';
import { PersonPages } from './person-pages.js';

/** The whole account, for platform admins: limits and password. What cannot be taken back has pages of its own. */
@Controller('console/users/:user_id')
export class PersonAccountController {
  constructor(
    private readonly people: PersonPages,
    private readonly limits: UserLimitsService,
    private readonly passwords: PasswordByAdminService,
    private readonly passkeys: PersonPasskeys,
    private readonly pages: ConsolePages,
  ) {}

  @Get('account')
  @ConsolePage('platform_admin')
  show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    return this.page(consoleRequest, response, id, []);
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
      'The limits were cleared. The person can try again immediately.',
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
    // As it was typed: fields of forms are cut of blanks.
    const form = readForm(PasswordChangeRequest, { new_password: body['new_password'] });
    if ('errors' in form) return this.page(consoleRequest, response, id, form.errors);
    try {
      await this.passwords.set(consoleRequest.ctx, id, form.input.new_password);
    } catch (error) {
      return this.page(
        consoleRequest,
        response,
        id,
        formErrors(error).map((each) => ({ ...each, field: 'new_password' })),
      );
    }
    const words = 'The password was set. The user was signed out everywhere and notified by e-mail.';
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}/account`, words);
  }

  private async page(
    consoleRequest: ConsoleRequest,
    response: Response,
    id: string,
    errors: readonly FormError[],
  ): Promise<void> {
    const [detail, { records }, passkeys] = await Promise.all([
      this.people.find(consoleRequest, id),
      this.limits.inspect(id),
      this.passkeys.rows(consoleRequest.ctx, id),
    ]);
    await this.people.show(consoleRequest, response, detail, {
      tab: 'account',
      view: 'account',
      status: errors.length > 0 ? 422 : 200,
      model: {
        limits: records.map(({ label, key, count, ttl }) => ({
          what: limitWords({ label, key }),
          label,
          count,
          left: waitInWords(ttl),
        })),
        passkeys,
        hasSecondFactor: detail.user.totpEnabledAt !== null,
        isAdmin: detail.user.isPlatformAdmin,
        errors,
      },
    });
  }
}
