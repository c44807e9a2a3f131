import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { canAdministerTenant } from '../../../common/actor.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { ActiveTenant, mayChooseTenant } from '../requests/active-tenant.js';
import type { ConsoleRequest } from '../requests/console-request.js';
import { type Area, listUrlOf } from './navigation.js';

/** What the tenant switcher in the top bar shows. */
export interface TenantSwitchView {
  /** Null: all tenants. */
  readonly tenantName: string | null;
  readonly maySwitch: boolean;
  readonly switchUrl: string;
}

/** The tenant switcher: shows the tenant that limits the lists, and follows the page. */
@Injectable()
export class TenantSwitch {
  constructor(
    private readonly tenants: TenantsService,
    private readonly active: ActiveTenant,
  ) {}

  /**
   * @param page its entry in the navigation, and the tenant of its object: null if there is no single one, undefined
   * for a page without an object. An object of a tenant other than the chosen one changes the choice.
   */
  async follow(
    consoleRequest: ConsoleRequest,
    response: Response,
    page: { readonly area: Area | null; readonly tenantId?: string | null },
  ): Promise<TenantSwitchView> {
    const { actor, chosenTenantId, tenantId } = consoleRequest;
    const maySwitch = mayChooseTenant(actor);
    const shown = maySwitch ? followed(consoleRequest, page.tenantId) : tenantId;
    if (maySwitch && shown !== chosenTenantId) this.active.write(response, shown);
    const tenant = shown ? await this.tenants.find(shown) : null;
    const switchUrl = `/console/pick-tenant?to=${encodeURIComponent(listUrlOf(page.area))}`;
    return { tenantName: tenant?.name ?? null, maySwitch, switchUrl };
  }
}

/** An operator who looks at all tenants keeps seeing all. */
function followed({ actor, chosenTenantId }: ConsoleRequest, ofPage: string | null | undefined): string | null {
  if (chosenTenantId === null || ofPage === undefined) return chosenTenantId;
  return ofPage !== null && canAdministerTenant(actor, ofPage) ? ofPage : null;
}
