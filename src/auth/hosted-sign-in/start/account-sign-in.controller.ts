import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { isUuid } from '../../../common/validation/fields.js';
import { LastApp } from '../../session/last-app.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { ACCOUNT_SECTIONS, readAccountSection } from '../authorization-request/account-sections.js';
import { SignInStart } from './sign-in-start.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';

/** The hosted sign-in without an app: it ends on the user's own account page. */
@ApiTags('Account')
@Controller('account')
export class AccountSignInController {
  constructor(
    private readonly starts: SignInStart,
    private readonly directory: AppDirectory,
    private readonly apps: AppsService,
    private readonly lastApp: LastApp,
  ) {}

  @Get('sign-in')
  @Browser()
  @NetworkLimit('login_page_ip')
  @ApiOperation({ summary: 'Sign in to the account page' })
  @ApiQuery({
    name: 'app_id',
    required: false,
    description: 'The app whose sign-in methods and colors to use. By default the app that this browser used last.',
  })
  @ApiQuery({
    name: 'any',
    required: false,
    enum: ['1'],
    description: 'Offers every sign-in method of the service instead of those of one app',
  })
  @ApiQuery({ name: 'fresh', required: false, enum: ['1'], description: 'Always asks for credentials' })
  @ApiQuery({
    name: 'to',
    required: false,
    enum: ACCOUNT_SECTIONS,
    description: 'Page below /account to open after the sign-in',
  })
  @ApiOkResponse({ description: 'The sign-in page (HTML)' })
  @ApiFoundResponse({ description: 'Redirects to /account' })
  async signIn(
    @Ctx() ctx: RequestContext,
    @Query('app_id') appId: unknown,
    @Query('any') any: unknown,
    @Query('fresh') fresh: unknown,
    @Query('to') to: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const last = any === '1' ? null : this.lastApp.read(request);
    const client = (await this.findOpen(appId)) ?? (await this.findOpen(last)) ?? (await this.platformConsole());
    if (!client) throw new SignInExpired();
    await this.starts.startForAccount({ ctx, request, response }, client, fresh === '1', readAccountSection(to));
  }

  private async findOpen(appId: unknown): Promise<RegisteredClient | null> {
    return isUuid(appId) ? this.directory.findOpen(appId.toLowerCase()) : null;
  }

  private async platformConsole(): Promise<RegisteredClient | null> {
    return this.findOpen((await this.apps.getPlatformConsole()).id);
  }
}
