import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TenantReader } from '../../admin/tenants/tenant-reader.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { mayChooseTenant } from '../frame/requests/active-tenant.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { CONSOLE_PAGE_SIZE, pagerOf } from '../frame/lists/pager.js';

/** The tenant that an operator has chosen, and the page for the choice. */
@Injectable()
export class TenantChoice {
  constructor(
    private readonly tenants: TenantsService,
    private readonly admin: TenantReader,
    private readonly pages: ConsolePages,
  ) {}

  /** Null also if the chosen tenant no longer exists. */
  async find({ tenantId }: ConsoleRequest): Promise<Tenant | null> {
    return tenantId ? this.tenants.find(tenantId) : null;
  }

  /** @param place page of the list, and where to continue with the chosen tenant; null: on the tenant's own page */
  async show(
    consoleRequest: ConsoleRequest,
    { page, back }: { readonly page: number; readonly back: string | null },
    request: Request,
    response: Response,
  ): Promise<void> {
    const limit = CONSOLE_PAGE_SIZE;
    const to = back ? `?to=${encodeURIComponent(back)}` : '';
    const { tenants, total } = await this.admin.listWithoutNumbers(consoleRequest.ctx, { page, limit });
    await this.pages.show(consoleRequest, response, {
      view: 'tenants/pick',
      title: 'Choose a tenant',
      area: 'tenant',
      model: {
        all: mayChooseTenant(consoleRequest.actor)
          ? { href: `/console/select-tenant${to}`, isPicked: consoleRequest.chosenTenantId === null }
          : null,
        tenants: tenants.map(({ id, name, slug, isActive }) => ({
          href: `/console/select-tenant/${id}${to}`,
          name,
          slug,
          isActive,
          isPicked: id === consoleRequest.tenantId,
        })),
        pager: pagerOf(request, { page, limit, total, count: tenants.length, isSized: false }),
      },
    });
  }
}
