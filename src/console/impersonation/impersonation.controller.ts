import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsolePage } from '../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../frame/requests/console-request.js';
import { ImpersonationPages } from './impersonation-pages.js';

/**
 * Starts and ends impersonations of a tenant or an app. Open to every operator: the service decides what they may
 * impersonate.
 */
@Controller('console')
export class ImpersonationController {
  constructor(private readonly pages: ImpersonationPages) {}

  @Get('impersonate/:tenant_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  askTenant(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Query('reason') reason: unknown,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.showForm(consoleRequest, 'tenant', id, reason, response);
  }

  @Post('impersonate/:tenant_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  startTenant(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.submit(consoleRequest, 'tenant', id, fields['reason'] ?? '', response);
  }

  @Get('impersonate-app/:app_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  askApp(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query('reason') reason: unknown,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.showForm(consoleRequest, 'app', id, reason, response);
  }

  @Post('impersonate-app/:app_id')
  @ConsolePage('app_manager', { recentSignIn: 'always' })
  startApp(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.submit(consoleRequest, 'app', id, fields['reason'] ?? '', response);
  }

  @Get(['impersonate-exit', 'impersonate-app-exit'])
  @ConsolePage('app_manager')
  askExit(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.followExit(consoleRequest, request, response);
  }

  @Post(['impersonate-exit', 'impersonate-app-exit'])
  @ConsolePage('app_manager')
  exit(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    return this.pages.exit(consoleRequest, response);
  }
}
