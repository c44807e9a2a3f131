import { Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { ConsoleLoginService } from '../login/console-login.service.js';
import { readConsolePath } from '../login/console-path.rules.js';

/**
 * Asks operators to authenticate again before an action that grants power or cannot be undone, and then shows the page
 * that asks for the action.
 */
@Controller('console/confirm-identity')
export class ConfirmIdentityController {
  constructor(
    private readonly logins: ConsoleLoginService,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('to') to: unknown,
    @Res() response: Response,
  ): Promise<void> {
    await this.pages.show(consoleRequest, response, {
      view: 'confirm-identity',
      title: 'Confirm it’s you',
      area: null,
      model: { to: readConsolePath(to) ?? '/console/', email: consoleRequest.actor.email },
    });
  }

  /** The current sign-in stays valid, so a user who goes back loses nothing. */
  @Post()
  @ConsolePage('app_manager')
  async begin(
    @CurrentConsoleRequest() _: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    await this.logins.confirm(response, readConsolePath(fields['to']));
  }
}
