import { Injectable } from '@nestjs/common';
import { authorityOf, canAdministerTenant } from '../../../common/actor.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';

/** A list to choose from is no directory: who has more tenants than this comes from the tenant's own page. */
const MAX_TENANTS = 100;

/** The tenants that a visitor may choose from. */
@Injectable()
export class TenantOptions {
  constructor(private readonly tenants: TenantsService) {}

  /** For a choice that cannot be changed later: nothing is chosen until the visitor does, unless there is only one. */
  async choose(consoleRequest: ConsoleRequest, chosenId: string | null) {
    const options = await this.list(consoleRequest, chosenId);
    if (options.length === 1) return options.map((option) => ({ ...option, isChosen: true }));
    const isChosen = !options.some((option) => option.isChosen);
    return [{ value: '', label: 'Choose a tenant', isChosen }, ...options];
  }

  /** Newest first; the chosen one is among them in any case, if the visitor governs it. */
  async list({ actor }: ConsoleRequest, chosenId: string | null) {
    const { platform, tenants: own } = authorityOf(actor);
    const scope = { everything: platform, tenantIds: [...own], appIds: [] };
    const { tenants } = await this.tenants.listPage(scope, { page: 1, limit: MAX_TENANTS });
    const isMissing = chosenId && !tenants.some(({ id }) => id === chosenId) && canAdministerTenant(actor, chosenId);
    const chosen = isMissing ? await this.tenants.find(chosenId) : null;
    return [...(chosen ? [chosen] : []), ...tenants].map(({ id, name }) => ({
      value: id,
      label: name,
      isChosen: id === chosenId,
    }));
  }
}
