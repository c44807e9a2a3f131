import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { NameByAdminService } from '../../../admin/users/account/name-by-admin.service.js';
import { UserUpdate } from '../../../admin/users/creation/user.dto.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  CurrentConsoleRequest,
  type Fields,
  FormFields,
} from '../../frame/requests/console-request.js';
import { readForm } from '../../frame/lists/form-input.js';
import { UserAccountPage } from './user-account-page.js';

/** Corrects the name of a user. */
@Controller('console/users/:user_id')
export class UserNameController {
  constructor(
    private readonly names: NameByAdminService,
    private readonly account: UserAccountPage,
    private readonly pages: ConsolePages,
  ) {}

  @Post('name')
  @ConsolePage('platform_admin')
  @HttpCode(303)
  async save(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const form = readForm(UserUpdate, { display_name: fields['display_name'] });
    if ('errors' in form) return this.account.show(consoleRequest, response, id, { errors: form.errors, fields });
    await this.names.set(consoleRequest.ctx, id, form.input.display_name);
    const back = `/console/users/${id}/account`;
    await this.pages.redirectWithFlash(consoleRequest, response, back, 'The name was saved.');
  }
}
