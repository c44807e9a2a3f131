import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { ActiveTenant } from '../frame/active-tenant.js';
import { PLAIN_CONFIRMATION } from '../frame/confirmation.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { OwnNavigation } from '../frame/own-navigation.js';
import { readPage } from '../frame/pager.js';
import { TenantChoice } from './tenant-choice.js';

/** Which tenant an operator of several looks at. */
@Controller('console')
export class TenantChoiceController {
  constructor(
    private readonly tenants: TenantsService,
    private readonly choice: TenantChoice,
    private readonly active: ActiveTenant,
    private readonly navigation: OwnNavigation,
    private readonly pages: ConsolePages,
  ) {}

  @Get('pick-tenant')
  @ConsolePage('tenant_admin')
  async pick(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('page') asked: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.choice.show(consoleRequest, readPage(asked), request, response);
  }

  @Get('select-tenant/:tenant_id')
  @ConsolePage('tenant_admin')
  async follow(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const tenant = await this.governed(consoleRequest, id);
    if (this.navigation.judge(request)) return this.accept(consoleRequest, tenant, response);
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `Switch to ${tenant.name}?`,
      lead: 'The console will show this tenant.',
      area: 'tenant',
      action: `/console/select-tenant/${id}`,
      button: 'Switch',
      cancelUrl: '/console/',
    });
  }

  @Post('select-tenant/:tenant_id')
  @ConsolePage('tenant_admin')
  async select(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.accept(consoleRequest, await this.governed(consoleRequest, id), response);
  }

  private accept(consoleRequest: ConsoleRequest, tenant: Tenant, response: Response): Promise<void> {
    this.active.write(response, tenant.id);
    return this.pages.redirectWithFlash(consoleRequest, response, '/console/tenant', `Viewing ${tenant.name}.`);
  }

  /** @throws InsufficientPermissions, TenantNotFound */
  private governed({ actor }: ConsoleRequest, id: string): Promise<Tenant> {
    if (!canAdministerTenant(actor, id)) throw new InsufficientPermissions();
    return this.tenants.get(id);
  }
}
