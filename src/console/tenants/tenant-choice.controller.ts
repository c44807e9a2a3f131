import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { readConsolePath } from '../login/console-path.rules.js';
import { ActiveTenant } from '../frame/requests/active-tenant.js';
import { PLAIN_CONFIRMATION } from '../frame/pages/confirmation.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { OwnNavigation } from '../frame/requests/own-navigation.js';
import { readPage } from '../frame/lists/pager.js';
import { TenantChoice } from './tenant-choice.js';

/** Chooses the tenant for an operator of several. */
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
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const place = { page: readPage(query['page']), back: readConsolePath(query['to']) };
    await this.choice.show(consoleRequest, place, request, response);
  }

  @Get('select-tenant/:tenant_id')
  @ConsolePage('tenant_admin')
  async follow(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Query('to') to: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const tenant = await this.governed(consoleRequest, id);
    if (this.navigation.judge(request)) return this.accept(consoleRequest, tenant, to, response);
    await this.pages.confirm(consoleRequest, response, {
      ...questionAbout(`/console/select-tenant/${id}`),
      title: `Switch to ${tenant.name}?`,
      lead: 'Lists will show this tenant only.',
    });
  }

  @Post('select-tenant/:tenant_id')
  @ConsolePage('tenant_admin')
  async select(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('tenant_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.accept(consoleRequest, await this.governed(consoleRequest, id), null, response);
  }

  @Get('select-tenant')
  @ConsolePage('tenant_admin')
  async followToAll(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('to') to: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (this.navigation.judge(request)) return this.accept(consoleRequest, null, to, response);
    await this.pages.confirm(consoleRequest, response, {
      ...questionAbout('/console/select-tenant'),
      title: 'Switch to all tenants?',
      lead: 'Lists will show all your tenants.',
    });
  }

  @Post('select-tenant')
  @ConsolePage('tenant_admin')
  async selectAll(@CurrentConsoleRequest() consoleRequest: ConsoleRequest, @Res() response: Response): Promise<void> {
    await this.accept(consoleRequest, null, null, response);
  }

  /**
   * @param tenant null: all
   * @param to page that the operator came from
   */
  private accept(
    consoleRequest: ConsoleRequest,
    tenant: Tenant | null,
    to: unknown,
    response: Response,
  ): Promise<void> {
    this.active.write(response, tenant?.id ?? null);
    const next = readConsolePath(to) ?? (tenant ? '/console/tenant' : '/console/');
    const words = `Viewing ${tenant?.name ?? 'all tenants'}.`;
    return this.pages.redirectWithFlash(consoleRequest, response, next, words);
  }

  /** @throws InsufficientPermissions, TenantNotFound */
  private governed({ actor }: ConsoleRequest, id: string): Promise<Tenant> {
    if (!canAdministerTenant(actor, id)) throw new InsufficientPermissions();
    return this.tenants.get(id);
  }
}

function questionAbout(action: string) {
  return { ...PLAIN_CONFIRMATION, area: 'tenant' as const, action, button: 'Switch tenant', cancelUrl: '/console/' };
}
