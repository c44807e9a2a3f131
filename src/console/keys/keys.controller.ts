import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../common/clock.js';
import { SigningKeys } from '../../tokens/keys/signing-keys.js';
import { isTyped, notTyped } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { column } from '../frame/lists/table-column.js';
import { ROTATE_AT_ONCE, rotateAtOnceQuestion, rotateQuestion } from './key-questions.js';
import { keyRows } from './key-rows.js';

const COLUMNS = [column('Key'), column('State'), column('Created')];
const HOME = '/console/keys';

/** The signing keys, for platform admins. Does the same as the command `keys rotate`. */
@Controller('console/keys')
export class KeysController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ConsolePage('platform_admin')
  async show(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    await this.pages.show(consoleRequest, response, {
      view: 'keys/list',
      title: 'Keys',
      area: 'keys',
      model: { columns: COLUMNS, keys: keyRows(await this.keys.list(), this.clock.now()) },
    });
  }

  @Get('rotate')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async ask(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    await this.pages.confirm(consoleRequest, response, rotateQuestion());
  }

  @Post('rotate')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async rotate(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    await this.keys.rotate(consoleRequest.ctx, { immediately: false });
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      HOME,
      'The new key is published. It starts signing in an hour.',
    );
  }

  @Get('rotate-at-once')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async askAtOnce(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    await this.pages.confirm(consoleRequest, response, rotateAtOnceQuestion([]));
  }

  @Post('rotate-at-once')
  @ConsolePage('platform_admin', { recentSignIn: 'always' })
  async rotateAtOnce(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    if (!isTyped(fields, ROTATE_AT_ONCE)) {
      return this.pages.confirm(consoleRequest, response, rotateAtOnceQuestion(notTyped()));
    }
    await this.keys.rotate(consoleRequest.ctx, { immediately: true });
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      HOME,
      'The new key is active. Tokens signed by the old keys are no longer accepted.',
    );
  }
}
