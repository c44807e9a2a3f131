import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { readPage } from '../frame/lists/pager.js';
import { TenantChoice } from './tenant-choice.js';
import { valuesOf } from './tenant-form.js';
import { TenantViews } from './tenant-views.js';

/** One tenant: for platform admins by its id, for its own admins the chosen one. */
@Controller('console')
export class TenantController {
  constructor(
    private readonly tenants: TenantReader,
    private readonly views: TenantViews,
    private readonly choice: TenantChoice,
  ) {}

  /** An operator who has not chosen a tenant chooses one first. */
  @Get('tenant')
  @ConsolePage('tenant_admin', { recentSignIn: 'for_settings' })
  async own(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('page') page: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const tenant = await this.choice.find(consoleRequest);
    if (!tenant) return this.choice.show(consoleRequest, { page: readPage(page), back: null }, request, response);
    await this.views.settings(
      consoleRequest,
      response,
      await this.tenants.get(consoleRequest.ctx, tenant.id),
      valuesOf(tenant),
      [],
    );
  }

  @Get('tenants/:tenant_id')
  @ConsolePage('platform_admin', { recentSignIn: 'for_settings' })
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const full = await this.tenants.get(consoleRequest.ctx, id);
    await this.views.settings(consoleRequest, response, full, valuesOf(full.tenant), []);
  }

  @Get('tenants/:tenant_id/apps')
  @ConsolePage('tenant_admin')
  async apps(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.views.apps(consoleRequest, request, response, await this.tenants.get(consoleRequest.ctx, id));
  }

  @Get('tenants/:tenant_id/data')
  @ConsolePage('tenant_admin')
  async data(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.views.data(consoleRequest, response, await this.tenants.get(consoleRequest.ctx, id));
  }
}
