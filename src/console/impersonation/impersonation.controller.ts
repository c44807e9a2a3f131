import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleVisit, type Fields, FormFields, Visit } from '../frame/console-visit.js';
import { ImpersonationPages } from './impersonation-pages.js';

/** Acting as a tenant or as an app, and back. Open to all who may enter: what they may act as, the service decides. */
@Controller('console')
export class ImpersonationController {
  constructor(private readonly pages: ImpersonationPages) {}

  @Get('impersonate/:tenant_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  askTenant(
    @Visit() visit: ConsoleVisit,
    @Param('tenant_id') id: string,
    @Query('reason') reason: unknown,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.showForm(visit, 'tenant', id, reason, response);
  }

  @Post('impersonate/:tenant_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  startTenant(
    @Visit() visit: ConsoleVisit,
    @Param('tenant_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.submit(visit, 'tenant', id, fields['reason'] ?? '', response);
  }

  @Get('impersonate-app/:app_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  askApp(
    @Visit() visit: ConsoleVisit,
    @Param('app_id') id: string,
    @Query('reason') reason: unknown,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.showForm(visit, 'app', id, reason, response);
  }

  @Post('impersonate-app/:app_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  startApp(
    @Visit() visit: ConsoleVisit,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.submit(visit, 'app', id, fields['reason'] ?? '', response);
  }

  @Get(['impersonate-exit', 'impersonate-app-exit'])
  @ConsolePage('app_manager')
  askExit(@Visit() visit: ConsoleVisit, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.pages.followExit(visit, request, response);
  }

  @Post(['impersonate-exit', 'impersonate-app-exit'])
  @ConsolePage('app_manager')
  exit(@Visit() visit: ConsoleVisit, @Res() response: Response): Promise<void> {
    return this.pages.exit(visit, response);
  }
}
