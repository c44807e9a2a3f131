import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AppDirectory } from '../../apps/app-directory.js';
import { AppsService } from '../../apps/apps.service.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { NetworkLimit } from '../../rate-limits/network-limit.js';
import { ACCOUNT_PLACES, readAccountPlace } from './account-places.js';
import { SignInStart } from './sign-in-start.js';
import { SignInExpired } from './sign-in.errors.js';

/** The hosted sign-in without an app to go on to: it ends on the person's own account page. */
@ApiTags('Account')
@Controller('account')
export class AccountSignInController {
  constructor(
    private readonly starts: SignInStart,
    private readonly directory: AppDirectory,
    private readonly apps: AppsService,
  ) {}

  @Get('sign-in')
  @Browser()
  @NetworkLimit('login_page_ip')
  @ApiOperation({ summary: 'Sign in to the account page' })
  @ApiQuery({ name: 'app_id', required: false, description: 'Whose sign-in methods and colours; else the platform’s' })
  @ApiQuery({ name: 'fresh', required: false, enum: ['1'], description: 'Credentials are asked for in any case' })
  @ApiQuery({ name: 'to', required: false, enum: ACCOUNT_PLACES, description: 'Page below /account to end on' })
  @ApiOkResponse({ description: 'The sign-in page (HTML)' })
  @ApiFoundResponse({ description: 'To /account' })
  async signIn(
    @Ctx() ctx: RequestContext,
    @Query('app_id') appId: unknown,
    @Query('fresh') fresh: unknown,
    @Query('to') to: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const named = isUuid(appId) ? await this.directory.findOpen(appId.toLowerCase()) : null;
    const client = named ?? (await this.directory.findOpen((await this.apps.getPlatformConsole()).id));
    if (!client) throw new SignInExpired();
    await this.starts.startForAccount({ ctx, request, response }, client, fresh === '1', readAccountPlace(to));
  }
}
